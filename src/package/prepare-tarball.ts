import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/*
 * `npm pack` and `npm publish` run this before they pack (`prepack`) and afterwards with `--restore` (`postpack`). The
 * published package.json has no fields that are only for this repository, and the published Markdown has only links
 * that lead somewhere.
 */

const repository = join(import.meta.dirname, '../..');
const copies = join(repository, 'node_modules/.cache/package');

const forThisRepository = [
  'workspaces',
  'devDependencies',
  'scripts',
  'overrides',
  'allowScripts',
  'scarfSettings',
];
const packedMarkdown = ['README.md', 'CHANGELOG.md'];
const packedFiles = [...packedMarkdown, 'LICENSE'];

/** Replaces links to files that are not packed by their text. */
export function withoutDeadLinks(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n*/g, '')
    .replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)([^)#]*)[^)]*\)/g, (link, text: string, file: string) =>
      packedFiles.includes(file) ? link : text,
    );
}

/** Without the fields that are only for this repository. */
export function publishedManifest(manifest: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => !forThisRepository.includes(name)));
}

const changed = ['package.json', ...packedMarkdown];

/** Returns the text that is packed instead of a file's own. */
function publishedText(file: string, text: string): string {
  if (!file.endsWith('.json')) return withoutDeadLinks(text);
  return `${JSON.stringify(publishedManifest(JSON.parse(text) as Record<string, unknown>), undefined, 2)}\n`;
}

function prepare(): void {
  if (!existsSync(join(repository, 'dist/npm/element.js')))
    throw new Error('The package is not built. Run "npm run build" first.');
  for (const file of changed) {
    mkdirSync(dirname(join(copies, file)), { recursive: true });
    copyFileSync(join(repository, file), join(copies, file));
    const text = readFileSync(join(repository, file), 'utf8');
    writeFileSync(join(repository, file), publishedText(file, text));
  }
}

function restore(): void {
  for (const file of changed) {
    const copy = join(copies, file);
    if (!existsSync(copy)) continue;
    // A file that was changed after an interrupted run is newer than its copy.
    const isPrepared =
      readFileSync(join(repository, file), 'utf8') === publishedText(file, readFileSync(copy, 'utf8'));
    if (isPrepared) copyFileSync(copy, join(repository, file));
  }
  rmSync(copies, { recursive: true, force: true });
}

if (import.meta.main) {
  // A run that was interrupted has left its copies.
  restore();
  if (!process.argv.includes('--restore')) prepare();
}
