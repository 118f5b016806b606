import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from '../../sbom.ts';
import { repository } from '../support/repository.ts';

/** A package in package-lock.json. */
export interface LockedPackage {
  name: string;
  version: string;
  /** An SPDX expression; undefined if the package names none. */
  license: string | undefined;
  /** Whether the widget contains it or the service runs on it. */
  isShipped: boolean;
}

interface Entry {
  version: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** The name under which a package is installed, by its path in the lock file. */
export const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? path;

/** Whether a package, by its path in the lock file, is shipped with the widget or run by the service. */
export const isShipped = (path: string): boolean =>
  packages[path]?.dev !== true || bundledPackages.some((name) => path === `node_modules/${name}`);

/** Returns every package that the lock file lists, without those of this repository. */
export const lockedPackages = (): LockedPackage[] =>
  Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, { version, license }]) => ({
      name: nameOf(path),
      version,
      license,
      isShipped: isShipped(path),
    }));
