import assert from 'node:assert/strict';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { freePort } from '../../support/process/free-port.ts';
import { selfSignedCertificate } from '../../support/servers/self-signed-certificate.ts';
import { postgresAccount, startPostgres, systemBinaries } from '../../support/service/postgres.ts';
import { spawnService, startServiceProcess } from '../../support/service/service-process.ts';
import { atEnd, newDatabase, testDatabase } from '../../support/service/service.ts';

const canStart = testDatabase === 'postgres' && (await systemBinaries()) !== undefined;

describe(
  'a PostgreSQL server that accepts only TLS',
  { skip: !canStart && 'needs an installed PostgreSQL server' },
  () => {
    let address: string;
    let certificate: string;
    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tls-'));
      const account = await postgresAccount();
      const { cert, key } = selfSignedCertificate('localhost');
      const write = async (name: string, text: string) => {
        const path = join(folder, name);
        await writeFile(path, text, { mode: 0o600 });
        if (account) await chown(path, account.uid, account.gid);
        return path;
      };
      if (account) await chown(folder, account.uid, account.gid);
      certificate = await write('cert.pem', cert);
      const port = await freePort();
      const server = await startPostgres({
        settings: [
          ...['fsync=off', 'listen_addresses=127.0.0.1', `port=${port}`, 'ssl=on'],
          ...[`ssl_cert_file=${certificate}`, `ssl_key_file=${await write('key.pem', key)}`],
          `hba_file=${await write('hba.conf', 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n')}`,
        ],
        socketPort: port,
      });
      atEnd(async () => {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      });
      address = `postgres://postgres@localhost:${port}/postgres`;
    });

    it('serves the service, which checks the certificate', async () => {
      const query = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`;
      const service = await startServiceProcess({
        ...(await newDatabase()),
        DATABASE_URL: `${address}?${query}`,
      });
      assert.deepEqual((await service.get('/readyz')).json['status'], 'ok');
      service.signal('SIGTERM');
      await service.child.ended;
    });

    it('is checked also with sslmode=require, as providers write it, without a warning of the library', async () => {
      const child = spawnService({ ...(await newDatabase()), DATABASE_URL: `${address}?sslmode=require` });
      assert.equal(await child.ended, 1);
      assert.match(child.output(), /^Cannot connect [^\n]+ self-signed certificate[^\n]+\n$/);
    });

    it('makes the service say which option is missing', async () => {
      const child = spawnService({ ...(await newDatabase()), DATABASE_URL: address });
      assert.equal(await child.ended, 1);
      assert.match(child.output(), /no encryption\. Add sslmode=verify-full to DATABASE_URL\.\n$/);
    });
  },
);
