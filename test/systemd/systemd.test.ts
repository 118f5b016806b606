import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installService } from '../deployment/installed-service.ts';
import { bootMachine } from '../support/deployment/machine.ts';
import type { Machine } from '../support/deployment/machine.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process/free-port.ts';
import { repository } from '../support/repository.ts';
import { ServiceClient } from '../support/service/service-client.ts';

/* The documented steps, in a Debian that systemd has booted. */
const cacheFolder = process.env['SYSTEMD_CACHE'] ?? '/var/tmp/voice-assistant-chat-systemd';

describe('the service, set up for systemd as documented', () => {
  let machine: Machine;
  let service: ServiceClient;
  let port: number;
  /** The documented commands: those that install it, and the one that runs "setup". */
  let install: string;
  let setUp: string;
  let uuid: string;

  before(async () => {
    const page = await readFile(join(repository, 'docs/self-hosting.md'), 'utf8');
    const section = /^## systemd\n(.*?)^## /ms.exec(page)?.[1] ?? '';
    [install = '', setUp = ''] = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(
      ([, script = '']) => script,
    );
    const [folder, booted, free] = await Promise.all([
      installService(),
      bootMachine(cacheFolder),
      freePort(),
    ]);
    machine = booted;
    port = free;
    service = new ServiceClient(`http://127.0.0.1:${String(port)}`);
    const target = join(machine.root, 'opt/voice-assistant-chat');
    await mkdir(target);
    await cp(join(folder, 'node_modules'), join(target, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await copyFile(process.execPath, join(machine.root, 'usr/bin/node'));
  });
  after(() => machine.stop());

  const isReady = () =>
    eventually('the service to be ready', () =>
      service.get('/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  const property = async (name: string) =>
    (await machine.run(`systemctl show --property ${name} --value voice-assistant-chat`)).trim();

  it('starts', async () => {
    // The package is installed already, and the machine has no PostgreSQL.
    const commands = install
      .replace(/^sudo npm install .*$/m, '')
      .replace(/^DATABASE_URL=.*$/m, `PORT=${String(port)}`);
    assert.match(commands, new RegExp(`^PORT=${String(port)}$`, 'm'));
    await machine.run(commands);
    await isReady();
    assert.equal(await property('UnitFileState'), 'enabled');
  });

  it('answers visitors after "setup"', async () => {
    assert.match(setUp, /setup'$/m);
    const output = await machine.run(setUp.replace(/setup'$/m, `setup --name Ada --email ada@example.com'`));
    uuid = /^Assistant: (\S+)$/m.exec(output)?.[1] ?? '';
    assert.match(
      output,
      /^ {2}node --env-file=\/etc\/\S+ \/opt\/voice-assistant-chat\/\S+\/bin\.js top-up /m,
    );
    const { status } = await service.send(await service.open(uuid), 'Hello');
    assert.equal(status, 200);
  });

  it('can write to its own folder alone', async () => {
    const pid = await property('MainPID');
    const write = (path: string) =>
      machine.run(`nsenter --target ${pid} --mount touch ${path}`).then(
        () => 'written',
        (error: unknown) => /Read-only file system/.exec(String(error))?.[0],
      );
    assert.equal(await write('/var/lib/voice-assistant-chat/file'), 'written');
    assert.equal(await write('/etc/file'), 'Read-only file system');
    assert.equal(await write('/opt/file'), 'Read-only file system');
    assert.equal(await machine.run(`stat --format %U /proc/${pid}`), 'voice-assistant-chat\n');
  });

  it('is started again after a crash, with its data', async () => {
    await machine.run('systemctl kill --signal KILL voice-assistant-chat');
    await eventually('a restart', async () => (await property('NRestarts')) === '1');
    await isReady();
    assert.equal((await service.post('/api/conversations', { assistant_id: uuid })).status, 200);
  });

  it('is started again until a start succeeds, as after an outage of its database', async () => {
    // Fails faster than a service whose database is unreachable.
    await machine.run('mv /usr/bin/node /usr/bin/node.away; ln -s false /usr/bin/node');
    await machine.run('systemctl restart voice-assistant-chat');
    // By default, systemd gives up after five starts.
    await eventually('the seventh start', async () => Number(await property('NRestarts')) >= 6);
    await machine.run('mv /usr/bin/node.away /usr/bin/node');
    await isReady();
  });

  it('completes a pending reply before it stops', async () => {
    const stream = await service.stream(await service.open(uuid), 'Hello');
    const stopped = machine.run('systemctl stop voice-assistant-chat');
    assert.equal((await stream.all()).at(-1)?.event, 'done');
    await stopped;
    assert.equal(await property('Result'), 'success');
  });
});
