import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../process/free-port.ts';
import { postgresAccount, waitUntilReady } from './postgres.ts';

/** PgBouncer in session mode, in front of a PostgreSQL server. */
export interface PgBouncer {
  /** Returns the connection string of a database. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** Starts PgBouncer, which must be installed. @param direct a connection string of the server. */
export async function startPgBouncer(direct: string): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const account = await postgresAccount();
  const port = await freePort();
  const { hostname, port: serverPort, searchParams, password } = new URL(direct);
  const server = [
    `host=${searchParams.get('host') ?? hostname}`,
    ...(serverPort === '' ? [] : [`port=${serverPort}`]),
    'user=postgres',
    ...(password === '' ? [] : [`password=${password}`]),
  ].join(' ');
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
max_client_conn = 1000
default_pool_size = 50
`,
  );
  if (account) await Promise.all([folder, file].map((path) => chown(path, account.uid, account.gid)));
  const child = spawn('pgbouncer', ['--quiet', file], { ...account, cwd: folder, stdio: 'ignore' });
  const url = (database: string) => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  await waitUntilReady(url('postgres'));
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
