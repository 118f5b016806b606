import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = join(import.meta.dirname, '..');
const isBuiltHere = (folder: string) => resolve(folder) === join(repository, 'dist');

/**
 * Builds the widget if its folder lacks it. The output goes to stderr, since a script may read stdout.
 *
 * @param folder where the service looks for the built widget.
 * @param say reports why this takes a moment.
 * @throws Error if the build fails, or if it does not build into that folder.
 */
export async function buildMissingWidget(folder: string, say: (text: string) => void): Promise<void> {
  const missing = ['voice-assistant-chat.js', 'embed.js'].find((file) => !existsSync(join(folder, file)));
  if (missing === undefined) return;
  if (!isBuiltHere(folder))
    throw new Error(
      `WIDGET_DIR names ${folder}, which has no ${missing}. Leave it unset, or name a folder with a built widget.`,
    );
  say('Building the widget, once…');
  const build = spawn('npm', ['run', '--silent', 'build:widget'], {
    cwd: repository,
    stdio: ['ignore', 2, 2],
  });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0)
    throw new Error(
      'The widget could not be built; the lines above say why. `npm run build` builds it alone.',
    );
}

/**
 * Builds the documentation if it is missing, while the service already runs: its pages are there after half a minute.
 *
 * @param stopped ends the build.
 * @param say reports that it failed.
 */
export function buildMissingDocumentation(
  folder: string,
  stopped: AbortSignal,
  say: (text: string) => void,
): void {
  if (stopped.aborted || !isBuiltHere(folder) || existsSync(join(folder, 'docs/index.html'))) return;
  // The documentation describes the package, so that is built first.
  const build = spawn('npm run --silent build:package && npm run --silent docs', {
    cwd: repository,
    shell: true,
    // A process group of its own, so that the programs that npm starts end with it.
    detached: true,
    stdio: 'ignore',
  });
  const stop = () => {
    if (build.pid !== undefined && build.exitCode === null) process.kill(-build.pid);
  };
  stopped.addEventListener('abort', stop);
  build.once('exit', (code) => {
    stopped.removeEventListener('abort', stop);
    if (code !== 0 && !stopped.aborted)
      say('The documentation could not be built. `npm run build` says why; all else works without it.');
  });
}
