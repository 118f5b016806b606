import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { repository } from '../support/repository.ts';
import { nameOf } from './lock-file.ts';

/*
 * `NEW_LOCK_FILE=1 node --test test/dependencies/lock-file.test.ts` writes the addresses after `npm install` has added a
 * package.
 */

interface Locked {
  name?: string;
  version: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

const file = join(repository, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };

/** The address of a package at a host that does not exist; `.npmrc` replaces it by the configured registry. */
function addressOf(path: string, { name = nameOf(path), version }: Locked): string {
  return `https://registry.invalid/${name}/-/${name.replace(/^@.*\//, '')}-${version}.tgz`;
}

const isFromRegistry = ([path, { link, integrity }]: [string, Locked]) =>
  path.includes('node_modules/') && link !== true && integrity !== undefined;

if (process.env['NEW_LOCK_FILE'] === '1') {
  for (const [path, locked] of Object.entries(lock.packages).filter(isFromRegistry)) {
    // In npm's order.
    const { name, version, ...rest } = locked;
    rest.resolved = addressOf(path, locked);
    const { resolved } = rest;
    lock.packages[path] = { ...(name !== undefined && { name }), version, resolved, ...rest };
  }
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
}

it('package-lock.json has an address of every package, at no real host', () => {
  for (const [path, locked] of Object.entries(lock.packages).filter(isFromRegistry))
    assert.equal(locked.resolved, addressOf(path, locked), `${path}: write it with NEW_LOCK_FILE=1`);
});
