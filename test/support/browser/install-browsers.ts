import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { enginePackages, findEngines } from './browsers.ts';
import type { EngineName } from './browsers.ts';
import { repository } from '../repository.ts';

const minutes = 60_000;

/** Tries to install engines, first by download, then as Debian packages. Returns a message per failed attempt. */
export function installEngines(names: readonly EngineName[]): string[] {
  const failures: string[] = [];
  const attempt = (title: string, command: string, args: readonly string[], env = {}) => {
    console.log(`Installing browsers: ${title}`);
    const { status, error } = spawnSync(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
      timeout: 10 * minutes,
    });
    if (status !== 0) failures.push(`"${title}" failed${error ? `: ${error.message}` : ''}.`);
  };

  const downloads = names.filter((name) => name !== 'webkit');
  if (downloads.length > 0) {
    const playwright = join(repository, 'node_modules/.bin/playwright');
    attempt(`npx playwright install ${downloads.join(' ')}`, playwright, ['install', ...downloads]);
  }
  const present = findEngines(names).map(({ name }) => name);
  const packages = names.filter((name) => !present.includes(name)).flatMap((name) => enginePackages[name]);
  if (packages.length > 0 && process.getuid?.() === 0) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    attempt('apt-get update', 'apt-get', ['update'], env);
    attempt(
      `apt-get install ${packages.join(' ')}`,
      'apt-get',
      ['install', '-y', '--no-install-recommends', ...packages],
      env,
    );
  }
  return failures;
}
