import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineName } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';

/** How wide and high the fonts of a machine write. */
export type FontSizes = Readonly<Record<string, number>>;

/** Whether this run makes the pictures anew instead of comparing with them. */
export const makesPictures = process.env['NEW_PICTURES'] === '1';

/** Where what differs is written to. */
const outputFolder = join(repository, 'test-output/pictures');

/** The pictures that are kept of one engine, with the fonts that they were taken with. */
export class KeptPictures {
  readonly #folder: string;
  readonly #engine: EngineName;

  constructor(engine: EngineName) {
    this.#engine = engine;
    this.#folder = join(import.meta.dirname, 'pictures', engine);
  }

  /** In base64; null where there is none. */
  read(name: string): string | null {
    const path = join(this.#folder, `${name}.png`);
    return existsSync(path) ? readFileSync(path, 'base64') : null;
  }

  keep(name: string, png: string): void {
    write(join(this.#folder, `${name}.png`), Buffer.from(png, 'base64'));
  }

  keepFonts(fonts: FontSizes): void {
    write(join(this.#folder, 'fonts.json'), `${JSON.stringify(fonts, null, 2)}\n`);
  }

  /** Why pictures with these fonts cannot be compared with those that are kept; undefined if they can. */
  fontProblem(fonts: FontSizes): string | undefined {
    const path = join(this.#folder, 'fonts.json');
    if (!existsSync(path)) return undefined;
    const known = JSON.parse(readFileSync(path, 'utf8')) as FontSizes;
    const others = Object.keys(known).filter((name) => Math.abs((known[name] ?? 0) - (fonts[name] ?? 0)) > 1);
    if (others.length === 0) return undefined;
    const told = others.map((name) => `${name} ${String(fonts[name])}, not ${String(known[name])}`);
    return `The fonts here are not those of the pictures: ${told.join('; ')}.`;
  }

  /** Writes down what a person needs to see what is wrong, and says where. */
  show(name: string, picture: string, difference: string): string {
    for (const [what, png] of Object.entries({ actual: picture, difference }))
      write(join(outputFolder, this.#engine, `${name}.${what}.png`), Buffer.from(png, 'base64'));
    return join(outputFolder, this.#engine, `${name}.{actual,difference}.png`);
  }
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
