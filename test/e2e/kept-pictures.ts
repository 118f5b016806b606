import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineName } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';

/** Widths and heights of sample texts in the fonts of a machine. */
export type FontSizes = Readonly<Record<string, number>>;

/** Whether this run replaces the stored pictures instead of comparing with them. */
export const makesPictures = process.env['NEW_PICTURES'] === '1';

/** The folder for pictures that differ. */
const outputFolder = join(repository, 'test-output/pictures');

/** The stored pictures of one engine, with the font sizes of the machine that made them. */
export class KeptPictures {
  readonly #folder: string;
  readonly #engine: EngineName;

  constructor(engine: EngineName) {
    this.#engine = engine;
    this.#folder = join(import.meta.dirname, 'pictures', engine);
  }

  /** Returns a picture in base64, or null if none is stored. */
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

  /** Explains why pictures with these fonts cannot be compared with the stored ones; undefined if they can. */
  fontProblem(fonts: FontSizes): string | undefined {
    const path = join(this.#folder, 'fonts.json');
    if (!existsSync(path)) return undefined;
    const known = JSON.parse(readFileSync(path, 'utf8')) as FontSizes;
    const different = Object.keys(known).filter(
      (name) => Math.abs((known[name] ?? 0) - (fonts[name] ?? 0)) > 1,
    );
    if (different.length === 0) return undefined;
    const sizes = different.map((name) => `${name} ${String(fonts[name])}, not ${String(known[name])}`);
    return `The fonts of this machine differ from those of the stored pictures: ${sizes.join('; ')}.`;
  }

  /** Writes a picture and its differences to files; returns their paths. */
  writeDifference(name: string, picture: string, difference: string): string {
    for (const [kind, png] of Object.entries({ actual: picture, difference }))
      write(join(outputFolder, this.#engine, `${name}.${kind}.png`), Buffer.from(png, 'base64'));
    return join(outputFolder, this.#engine, `${name}.{actual,difference}.png`);
  }
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
