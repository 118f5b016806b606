import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { packPackage, type Tarball } from '../package/pack-package.ts';
import { testRunners } from './examples.ts';
import { copyProject } from './site-project.ts';

/* Projects that test a page with the packed package. `TEST_EXAMPLES=jest` limits them. */

const wanted = process.env['TEST_EXAMPLES']?.split(',') ?? testRunners;

describe('a test in', () => {
  let tarball: Tarball;
  before(async () => {
    tarball = await packPackage();
  });
  after(() => tarball.remove());

  for (const name of testRunners.filter((each) => wanted.includes(each))) {
    it(`${name} imports, mounts, opens and unmounts the chat`, async () => {
      const project = await copyProject(`test/examples/${name}`, tarball.path);
      try {
        await project.npm('install', '--no-audit', '--no-fund', '--prefer-offline');
        assert.match(await project.npm('test'), /1 passed/);
      } finally {
        await project.remove();
      }
    });
  }
});
