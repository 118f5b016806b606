import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Each of the build's parts writes one of these: `npm start` builds the widget first, and may be stopped before the rest. */
const built = ['voice-assistant-chat.js', 'npm/element.js', 'docs/index.html'];

/**
 * Whether `npm run build` has run since the sources of the widget were last changed.
 *
 * @param folder the folder of the repository
 */
export function isBuilt(folder: string): boolean {
  const modifiedAt = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs;
  const builtAt = Math.min(...built.map((file) => modifiedAt(`dist/${file}`) ?? 0));
  const sources = globSync('src/**/*.*', { cwd: folder, exclude: ['src/service', 'src/voice'] });
  return sources.every((path) => (modifiedAt(path) ?? 0) <= builtAt);
}
