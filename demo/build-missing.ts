import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const builtFiles = ['voice-assistant-chat.js', 'embed.js'];

const missingIn = (folder: string): string | undefined =>
  builtFiles.find((file) => !existsSync(join(folder, file)));

/**
 * Builds the widget if its folder lacks it. What the build prints goes to stderr, since stdout may be read by a script.
 *
 * @param folder where the service looks for the built widget.
 * @param say tells a person why this takes a moment.
 * @throws Error when the build fails, or builds into another folder.
 */
export async function buildMissing(folder: string, say: (text: string) => void): Promise<void> {
  if (missingIn(folder) === undefined) return;
  say('Building the widget, once…');
  const build = spawn('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 2, 2],
  });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0)
    throw new Error(
      'The widget could not be built; the lines above say why. `npm run build` builds it alone.',
    );
  const missing = missingIn(folder);
  if (missing !== undefined)
    throw new Error(
      `${folder} has no ${missing}. Leave WIDGET_DIR unset, or name a folder with a built widget.`,
    );
}
