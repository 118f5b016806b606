import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A named thing of the Custom Elements Manifest. */
export interface Documented {
  name: string;
  description: string;
  type?: { text: string };
}

interface Attribute extends Documented {
  fieldName?: string;
}

interface Member extends Documented {
  kind: 'field' | 'method';
  attribute?: string;
  static?: boolean;
  parameters?: { name: string }[];
}

interface ElementManifest {
  customElement?: true;
  attributes: Attribute[];
  members: Member[];
  events: Documented[];
  slots: Documented[];
  cssParts: Documented[];
  cssProperties: Documented[];
}

/** The element in `dist/custom-elements.json`, which `npm run build` generates from the sources. */
export function readElementManifest(): ElementManifest {
  const file = join(import.meta.dirname, '../../../dist/custom-elements.json');
  const { modules } = JSON.parse(readFileSync(file, 'utf8')) as {
    modules: { declarations: ElementManifest[] }[];
  };
  const element = modules
    .flatMap(({ declarations }) => declarations)
    .find(({ customElement }) => customElement);
  if (element === undefined) throw new Error(`${file} describes no element.`);
  return element;
}
