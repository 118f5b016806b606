import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether `npm run build` has run since the sources of the widget were last changed.
 *
 * @param folder the folder of the repository
 */
export function isBuilt(folder: string): boolean {
  const modifiedAt = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs;
  const builtAt = modifiedAt('dist/voice-assistant-chat.js') ?? 0;
  const sources = globSync('src/**/*.*', { cwd: folder, exclude: ['src/service', 'src/voice'] });
  return sources.every((path) => (modifiedAt(path) ?? 0) <= builtAt);
}
