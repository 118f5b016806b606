import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = join(import.meta.dirname, '..');
const builtFiles = ['voice-assistant-chat.js', 'embed.js'];
const documentation = 'docs/index.html';

/**
 * Builds the widget and the documentation if their folder lacks them. The output goes to stderr, since a script may
 * read stdout.
 *
 * @param folder where the service looks for the built widget.
 * @param say reports why this takes a moment.
 * @throws Error if the build fails, or if it does not build into that folder.
 */
export async function buildMissing(folder: string, say: (text: string) => void): Promise<void> {
  const isOwn = resolve(folder) === join(repository, 'dist');
  const needed = isOwn ? [...builtFiles, documentation] : builtFiles;
  const missing = needed.find((file) => !existsSync(join(folder, file)));
  if (missing === undefined) return;
  if (!isOwn)
    throw new Error(
      `WIDGET_DIR names ${folder}, which has no ${missing}. Leave it unset, or name a folder with a built widget.`,
    );
  say('Building the widget and the documentation, once…');
  const build = spawn('npm', ['run', '--silent', 'build'], { cwd: repository, stdio: ['ignore', 2, 2] });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0)
    throw new Error(
      'The widget could not be built; the lines above say why. `npm run build` builds it alone.',
    );
}
