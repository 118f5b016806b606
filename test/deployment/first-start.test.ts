import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { repository } from '../support/repository.ts';
import { startProgram, temporaryFolder } from './installed-service.ts';

/** The command lines of the processes that run in a folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isInside = readlinkSync(join('/proc', pid, 'cwd')).startsWith(folder);
      return isInside ? [readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      // Not a process, or one that has ended.
      return [];
    }
  });
}

const isBuild = (command: string) => command.includes('build:package');

it('npm start in a fresh checkout serves the shop first, and builds the documentation meanwhile', async () => {
  const checkout = join(await temporaryFolder(), 'checkout');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 32 * 1024 * 1024,
  }).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(repository, name))))
    await cp(join(repository, file), join(checkout, file));
  for (const folder of ['', 'src/service', 'src/voice']) {
    const installed = join(repository, folder, 'node_modules');
    if (existsSync(installed)) await symlink(installed, join(checkout, folder, 'node_modules'));
  }

  const demo = startProgram('npm', ['start', '--silent', '--', '--json'], {
    cwd: checkout,
    env: { PORT: '0', DATA_DIR: join(checkout, 'data'), WIDGET_DIR: undefined },
  });
  const { url } = await demo.waitForLine('stdout', (line) => JSON.parse(line) as { url: string });
  assert.match(await (await fetch(url)).text(), /Nordkamm/);
  const script = await fetch(`${url}/embed.js`, { headers: { 'Accept-Encoding': 'br' } });
  assert.equal(script.headers.get('Content-Encoding'), 'br');

  const early = await fetch(`${url}/docs/`);
  assert.equal(early.headers.get('Refresh'), '3');
  const page = await eventually(
    'the documentation',
    async () => {
      const response = await fetch(`${url}/docs/`);
      return response.ok && (await response.text());
    },
    300_000,
  );
  assert.match(page, /<title>/);
  await demo.stop();

  await rm(join(checkout, 'dist/docs'), { recursive: true });
  const again = startProgram('npm', ['start', '--silent', '--', '--json'], {
    cwd: checkout,
    env: { PORT: '0', DATA_DIR: join(checkout, 'data'), WIDGET_DIR: undefined },
  });
  await again.waitForLine('stdout', (line) => JSON.parse(line) as { url: string });
  await eventually('the build of the documentation', () => processesIn(checkout).some(isBuild));
  await again.stop();
  // What is stopped before the build has ended stops the build.
  assert.deepEqual(processesIn(checkout), []);
});
