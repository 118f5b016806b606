import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { describeElement } from './describe-element.ts';
import { customElementsManifest, htmlCustomData, webTypes } from './editor-data.ts';
import { frameworkTypes } from './framework-types.ts';

/*
 * The last step of the build for npm: one declaration file for each entry point, types for the templates of frameworks,
 * and data for editors. All of it comes from the declarations and doc comments of the sources.
 */

const repository = join(import.meta.dirname, '../..');
const inDist = (path: string): string => join(repository, 'dist', path);

/** Entry points of `dist/npm` and their declarations in `dist/types`. */
const entries = {
  element: 'widget/voice-assistant-chat',
  client: 'client/chat-client',
  api: 'client/api-client',
};

const bundles = generateDtsBundle(
  Object.entries(entries).map(([name, path]) => ({
    filePath: inDist(`types/${path}.d.ts`),
    // The scripts contain zod, so sites do not install it.
    libraries: { inlinedLibraries: ['zod'] },
    output: { noBanner: true, exportReferencedTypes: false, inlineDeclareGlobals: name === 'element' },
  })),
  { preferredConfigPath: join(import.meta.dirname, 'declarations.json') },
);
for (const [index, name] of Object.keys(entries).entries()) {
  const reference = name === 'element' ? '/// <reference path="./frameworks.d.ts" />\n' : '';
  const script = (await import(inDist(`npm/${name}.js`))) as object;
  writeFileSync(inDist(`npm/${name}.d.ts`), reference + onlyValuesOf(script, bundles[index] ?? ''));
}
// Not bundled: their types are those of `element`.
const withTypesOfElement = (path: string): string =>
  readFileSync(inDist(`types/widget/${path}.d.ts`), 'utf8').replaceAll(
    /'\.\/(define|voice-assistant-chat)\.ts'/g,
    "'./element.js'",
  );
writeFileSync(
  inDist('npm/voice-assistant-chat.d.ts'),
  `/// <reference path="./frameworks.d.ts" />\n${withTypesOfElement('define')}`,
);
writeFileSync(inDist('npm/react.d.ts'), withTypesOfElement('react'));

const element = describeElement(inDist('npm/element.d.ts'));
writeFileSync(inDist('npm/frameworks.d.ts'), frameworkTypes(element));

const { name, version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
/**
 * Declares as values only what the script exports: the bundler also exports the schema or class of a type that is exported
 * without it.
 */
function onlyValuesOf(script: object, declarations: string): string {
  const types: string[] = [];
  const changed = declarations.replaceAll(
    /^export (declare (const|class|function) (\w+))/gm,
    (exported, declaration: string, kind: string, value: string) => {
      if (value in script) return exported;
      // A schema has a type of the same name, which stays exported.
      if (kind === 'class') types.push(value);
      return declaration;
    },
  );
  return types.length === 0 ? changed : `${changed}export type { ${types.join(', ')} };\n`;
}

const json = (file: string, value: unknown): void => {
  writeFileSync(inDist(file), `${JSON.stringify(value, undefined, 2)}\n`);
};
json('custom-elements.json', customElementsManifest(element));
json('vscode.html-custom-data.json', htmlCustomData(element));
json('web-types.json', webTypes(element, name, version));
