import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { moveMoney } from '../../../src/service/billing/ledger.ts';
import { readConfig } from '../../../src/service/config.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { assistants, users } from '../../../src/service/db/schema.ts';
import { createLog } from '../../../src/service/log.ts';
import { serve } from '../../../src/service/serve.ts';
import type { RunningService } from '../../../src/service/serve.ts';
import { copyPgliteImage } from './pglite-image.ts';
import { startPgBouncer } from './pgbouncer.ts';
import type { PgBouncer, PoolMode } from './pgbouncer.ts';
import { startPostgres } from './postgres.ts';
import type { PostgresServer } from './postgres.ts';
import { ServiceClient } from './service-client.ts';

/** The database under test. */
export const testDatabase = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'pglite';

/** The mode of PgBouncer between the service and PostgreSQL, if there is one: `session` or `transaction`. */
const poolMode = process.env['TEST_POOLER'] as PoolMode | undefined;

/** Environment variables of a service. */
export type Environment = Record<string, string | undefined>;

/** A running service in this process, with helpers that send requests to it. */
export interface TestService extends ServiceClient {
  running: RunningService;
}

const cleanUps: (() => Promise<void>)[] = [];
const services: RunningService[] = [];
after(
  async () => {
    const failures: unknown[] = [];
    const collect = (error: unknown) => failures.push(error);
    // At the same time, since each waits for its calls and replies to end.
    await Promise.all(services.map((service) => service.close().catch(collect)));
    for (const cleanUp of cleanUps.reverse()) await cleanUp().catch(collect);
    if (failures.length > 0) throw new AggregateError(failures, 'Cleaning up failed.');
  },
  // Hundreds of services may have to be closed.
  { timeout: 600_000 },
);

/** Registers a cleanup to run after the tests of this process, in reverse order of registration. */
export function atEnd(cleanUp: () => Promise<void>): void {
  cleanUps.push(cleanUp);
}

let server: Promise<PostgresServer> | undefined;
let pooler: Promise<PgBouncer> | undefined;

/** Creates an empty, migrated database; returns the environment variables of a service that uses it. */
export async function newDatabase(): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  if (testDatabase === 'pglite') {
    await copyPgliteImage(folder);
    return { DATA_DIR: folder };
  }
  return { DATA_DIR: folder, ...(await createDatabase('template_migrated')) };
}

/** Copies a database, which must not be in use; returns the environment variables of a service that uses the copy. */
export async function copyDatabase(env: Environment): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await cp(env['DATA_DIR'] ?? '', folder, { recursive: true });
  const address = env['DATABASE_URL'];
  if (address === undefined) return { ...env, DATA_DIR: folder };
  const template = new URL(address).pathname.slice(1);
  return { ...env, DATA_DIR: folder, ...(await createDatabase(template)) };
}

/** Creates a database on this process's PostgreSQL server; returns the environment variables that name it. */
export async function createDatabase(
  template = 'template0',
  options = '',
): Promise<{ DATABASE_URL: string; DATABASE_DIRECT_URL?: string }> {
  server ??= startServer();
  const running = await server;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(running.url('postgres'));
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${options}`);
  await client.end();
  if (poolMode === undefined) return { DATABASE_URL: running.url(name) };
  pooler ??= startPgBouncer(running.url('postgres'), poolMode).then((started) => {
    atEnd(() => started.stop());
    return started;
  });
  return {
    DATABASE_URL: (await pooler).url(name),
    ...(poolMode === 'transaction' && { DATABASE_DIRECT_URL: running.url(name) }),
  };
}

async function startServer(): Promise<PostgresServer> {
  const started = await startPostgres();
  atEnd(() => started.stop());
  const client = new pg.Client(started.url('postgres'));
  await client.connect();
  await client.query('CREATE DATABASE template_migrated TEMPLATE template0');
  await client.end();
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const migrated = await start({ DATA_DIR: folder, DATABASE_URL: started.url('template_migrated') });
  await migrated.close();
  await rm(folder, { recursive: true, force: true });
  return started;
}

const start = (env: Environment, extras: ServiceExtras = {}) =>
  serve(settings(env), { log: createLog('silent'), ...extras });

const settings = (env: Environment) =>
  readConfig({ PORT: '0', LOG_LEVEL: 'silent', FSYNC: 'off', VOICE: 'off', ...env });

export type ServiceExtras = NonNullable<Parameters<typeof serve>[1]>;

let shared: Promise<Database> | undefined;

/** Opens the database that services share by default, since opening one takes longer than most tests. */
async function openSharedDatabase(): Promise<Database> {
  const database = await openDatabase(settings(await newDatabase()), createLog('silent'));
  atEnd(() => database.close());
  return database;
}

/**
 * Starts a service in this process and stops it after the tests. Unless `env` names a database (see
 * {@link newDatabase}), all services of the process share one, so a test must only read records that it created.
 * The service runs no background jobs, since it would also run those of other services. `WORKERS: 'on'` enables them
 * and needs a separate database.
 */
export async function startService(env: Environment = {}, extras: ServiceExtras = {}): Promise<TestService> {
  const database = env['DATA_DIR'] === undefined ? await (shared ??= openSharedDatabase()) : undefined;
  // Jobs of this process need no polling, which would keep every service busy until the suite ends.
  const quiet = { RATE_LIMIT: '0', WORKERS: 'off', JOB_POLL_SECONDS: '3600' };
  const running = await start({ ...quiet, ...env }, { ...(database && { database }), ...extras });
  services.push(running);
  return Object.assign(new ServiceClient(running.url), { running });
}

/** Fields of an assistant that a test can set; the others have default values. */
export interface AssistantOptions {
  /** Message limits and allowed origins; the interface's defaults if absent. */
  limits?: Partial<typeof assistants.$inferInsert>;
  /** The owner's balance in USD. */
  balance?: string;
  initialMessage?: string;
  systemPrompt?: string;
  variables?: Record<string, unknown>;
  temperature?: string;
  /** The owner's id; a new user by default. */
  userId?: number;
  widgetSettings?: Record<string, unknown>;
  name?: string;
}

/** Stores an assistant, with a new owner unless `userId` is given. */
export async function createAssistant(
  { running }: TestService,
  options: AssistantOptions = {},
): Promise<{ uuid: string; userId: number; id: number }> {
  const { db } = running.database;
  const userId = options.userId ?? (await createUser(running, options.balance ?? '1'));
  const uuid = randomUUID();
  const [stored] = await db
    .insert(assistants)
    .values({
      uuid,
      userId,
      name: options.name ?? 'Test assistant',
      voiceId: 1,
      languageId: 1,
      initialMessage: options.initialMessage ?? '',
      systemPrompt: options.systemPrompt ?? '',
      variables: options.variables ?? {},
      llmTemperature: options.temperature ?? '0.10',
      ...options.limits,
      ...(options.widgetSettings === undefined ? {} : { widgetSettings: options.widgetSettings }),
    })
    .returning({ id: assistants.id });
  if (!stored) throw new Error('The assistant was not stored.');
  return { uuid, userId, id: stored.id };
}

/** Stores a user with a balance in USD and the ledger entry for it. */
export async function createUser({ database: { db } }: RunningService, balance: string): Promise<number> {
  const [user] = await db
    .insert(users)
    .values({ name: 'Test Owner', email: `${randomUUID()}@example.com` })
    .returning({ id: users.id });
  if (!user) throw new Error('The user was not stored.');
  if (Number(balance) > 0) await moveMoney(db, { userId: user.id, kind: 'top_up', amount: balance });
  return user.id;
}

/** Reads a user's balance in USD and the sum of their ledger entries. */
export async function readMoney(
  { running }: TestService,
  userId: number,
): Promise<{ balance: number; ledger: number }> {
  const { rows } = await running.database.pool.query<{ balance: string; ledger: string }>(
    `SELECT balance, (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE user_id = users.id) AS ledger
     FROM users WHERE id = $1`,
    [userId],
  );
  return { balance: Number(rows[0]?.balance), ledger: Number(rows[0]?.ledger) };
}
