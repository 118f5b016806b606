import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../process/free-port.ts';
import { postgresAccount, waitUntilReady } from './postgres.ts';

/** How long a client keeps its connection to the server. */
export type PoolMode = 'session' | 'transaction';

/** PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  /** Returns the connection string of a database. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** As in docs/scaling.md: the service cannot set these where it has no session. */
const limits = 'SET statement_timeout = 30000; SET idle_in_transaction_session_timeout = 30000';

/** Starts PgBouncer, which must be installed. @param direct a connection string of the server. */
export async function startPgBouncer(direct: string, mode: PoolMode): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const account = await postgresAccount();
  const port = await freePort();
  const { hostname, port: serverPort, searchParams, password } = new URL(direct);
  const server = [
    `host=${searchParams.get('host') ?? hostname}`,
    ...(serverPort === '' ? [] : [`port=${serverPort}`]),
    'user=postgres',
    ...(password === '' ? [] : [`password=${password}`]),
    ...(mode === 'session' ? [] : [`connect_query='${limits}'`]),
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
pool_mode = ${mode}
max_client_conn = 1000
default_pool_size = ${mode === 'session' ? 50 : 10}
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
