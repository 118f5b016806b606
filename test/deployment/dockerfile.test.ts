import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { freePort } from '../support/process/free-port.ts';
import { ServiceClient } from '../support/service/service-client.ts';
import { startProgram, runToEnd, temporaryFolder } from './installed-service.ts';
import { buildImage, enterImage } from './run-dockerfile.ts';

const canEnter = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!canEnter && process.env['REQUIRE_ALL'] === '1') throw new Error('This test needs root and unshare.');

it(
  'builds and runs with a read-only root, without privileges, and reports its health',
  { skip: !canEnter && 'needs root and unshare', timeout: 900_000 },
  async () => {
    const image = await buildImage(await temporaryFolder());
    assert.notEqual(image.user.split(':')[0], '0');
    const env = { PORT: String(await freePort()), HOST: '127.0.0.1' };
    const words = [...image.entrypoint, ...image.command, '--json'];
    const run = await enterImage(image, words, { isReadOnly: true, env });
    const child = startProgram(run.command, run.args);
    const line = await child.waitForLine('stdout', (text) => text);
    const service = new ServiceClient((JSON.parse(line) as { url: string }).url);
    assert.equal((await fetch(`${service.url}/embed.js`)).status, 200);
    assert.deepEqual((await service.get('/readyz')).json['warnings'], []);

    const check = async () => {
      const health = await enterImage(image, image.healthCheck, { isReadOnly: true, env });
      return (await runToEnd(health.command, health.args)).status;
    };
    assert.equal(await check(), 0);
    const write = await enterImage(image, ['touch', '/app/file'], { isReadOnly: true });
    assert.match((await runToEnd(write.command, write.args)).output, /Read-only file system/);
    await child.stop();
    assert.match(child.output(), /"stopped"/);
    assert.equal(await check(), 1);
  },
);
