import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { repository } from '../support/repository.ts';
import { ServiceClient } from '../support/service/service-client.ts';

/*
 * The documented steps, with Docker. For "localhost", Caddy signs a certificate itself. It takes the ports of
 * compose.yaml, among them 80 and 443.
 */
const run = promisify(execFile);

describe('the service, set up with Docker Compose as documented', () => {
  let folder: string;
  let uuid: string;
  const service = new ServiceClient('https://localhost');
  const shell = async (script: string) =>
    (await run('sh', ['-ec', script], { cwd: folder, maxBuffer: 100_000_000 })).stdout;
  const isReady = () =>
    eventually('the service to be ready', () =>
      service.get('/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );

  before(async () => {
    await run('docker', ['compose', 'version']).catch((cause: unknown) => {
      throw new Error('Install Docker with its plugin Compose first.', { cause });
    });
    folder = await mkdtemp(join(tmpdir(), 'compose-'));
    const { stdout: files } = await run('git', ['ls-files', '-z'], { cwd: repository });
    for (const file of files.split('\0').filter((name) => name !== ''))
      await cp(join(repository, file), join(folder, file), { verbatimSymlinks: true });
  });
  after(async () => {
    await shell('docker compose down --volumes');
    await rm(folder, { recursive: true, force: true });
  });

  it('answers visitors over TLS', async () => {
    const page = await readFile(join(folder, 'docs/self-hosting.md'), 'utf8');
    const [, documented = ''] = /^## Docker Compose\n.*?^```sh\n(.*?)^```/ms.exec(page) ?? [];
    const commands = documented
      .replace('DOMAIN=assistants.example', 'DOMAIN=localhost')
      .replace('docker compose exec ', 'docker compose exec --no-TTY ')
      .replace(/ setup$/m, ' setup --name Ada --email ada@example.com');
    assert.match(commands, /^DOMAIN=localhost$/m);
    const output = await shell(commands);
    uuid = /^Assistant: (\S+)$/m.exec(output)?.[1] ?? '';
    const certificate = await eventually('the certificate of Caddy', () =>
      shell('docker compose exec --no-TTY proxy cat /data/caddy/pki/authorities/local/root.crt').catch(
        () => undefined,
      ),
    );
    setDefaultCACertificates([...getCACertificates(), certificate]);
    await isReady();
    const stream = await service.stream(await service.open(uuid), 'Hello');
    assert.equal((await stream.all()).at(-1)?.event, 'done');
  });

  it('runs without root, on a file system that is read-only', async () => {
    const inside = (script: string) => shell(`docker compose exec --no-TTY chat sh -c '${script}'`);
    assert.equal(await inside('id -u'), '1000\n');
    await assert.rejects(inside('touch /app/file'), /Read-only file system/);
  });

  it('keeps its data when its containers are created again', async () => {
    await shell('docker compose down && docker compose up --detach');
    await isReady();
    assert.equal((await service.post('/api/conversations', { assistant_id: uuid })).status, 200);
  });
});
