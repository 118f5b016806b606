import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readConfig } from '../../../src/service/config.ts';
import { endInactiveConversations } from '../../../src/service/conversation/end-conversation.ts';
import { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { createLog } from '../../../src/service/log.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { serve } from '../../../src/service/serve.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { fillDatabase } from './fill-database.ts';
import type { Amounts } from './fill-database.ts';
import { serviceSettings } from './run-server.ts';

/*
 * `npm run bench:growth` compares each operation on PostgreSQL in a small and a large database, alternately, in one
 * process. Exits with 1 if an operation takes more than 1.3 times as long in the large one.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '150' },
    factor: { type: 'string', default: '1000' },
  },
});
const rounds = Number(values.rounds);
const factor = Number(values.factor);
const limit = 1.3;

const small: Amounts = { conversations: 100, messages: 1000, leads: 1000 };
const large: Amounts = {
  conversations: small.conversations * factor,
  messages: small.messages * factor,
  leads: small.leads * factor,
};

/** Runs an operation once. */
type Operation = () => Promise<unknown>;

const postgres = await startPostgres({
  settings: [
    'fsync=off',
    'synchronous_commit=off',
    'max_connections=100',
    'max_wal_size=8GB',
    'shared_buffers=512MB',
  ],
});
const closing: (() => Promise<void>)[] = [];
try {
  const before = await start('small', small);
  const after = await start('large', large);
  const rows: { name: string; times: [number, number] }[] = [];
  for (const name of Object.keys(before)) {
    const [ours, theirs] = [before[name], after[name]];
    if (!ours || !theirs) throw new Error(name);
    const times: [number[], number[]] = [[], []];
    for (let round = -5; round < rounds; round++) {
      for (const [index, run] of [ours, theirs].entries()) {
        const started = performance.now();
        await run();
        if (round >= 0) times[index]?.push(performance.now() - started);
      }
    }
    rows.push({ name, times: [median(times[0]), median(times[1])] });
    report(rows.at(-1));
  }
  const missed = rows.filter(({ times: [one, other] }) => other / one > limit);
  console.log(
    `${missed.length} of ${rows.length} operations grew by more than ${limit}. ` +
      `${large.messages} messages, ${large.conversations} conversations and ${large.leads} leads against ` +
      `${small.messages}, ${small.conversations} and ${small.leads}; medians of ${rounds}, alternately, on ` +
      `${availableParallelism()} processors, which also ran PostgreSQL.`,
  );
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  for (const close of closing.reverse()) await close();
  await postgres.stop();
}

function report(row: { name: string; times: [number, number] } | undefined): void {
  if (!row) return;
  const [one, other] = row.times;
  const ratio = other / one;
  console.log(
    `${row.name.padEnd(48)} ${one.toFixed(2).padStart(8)} ms ${other.toFixed(2).padStart(9)} ms ${ratio.toFixed(2).padStart(7)} ×  ${ratio <= limit ? 'ok' : 'MISSED'}`,
  );
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

/** Creates and fills a database and starts a service with it; returns its operations. */
async function start(name: string, amounts: Amounts): Promise<Record<string, Operation>> {
  const client = new pg.Client(postgres.url('postgres'));
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const log = createLog('silent');
  const config = readConfig({ ...serviceSettings, WORKERS: 'off', DATABASE_URL: postgres.url(name) });
  const database = await openDatabase(config, log);
  closing.push(() => database.close());
  const started = performance.now();
  const owner = await fillDatabase(database, postgres.url(name), amounts);
  console.log(`Filled the ${name} database in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  const running = await serve(config, { log, database });
  closing.push(() => running.close());
  const jobs = new StoredJobs(database);
  const send = async (method: string, path: string, body?: object, key = owner.key) => {
    const response = await fetch(`${running.url}/api/${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(path.startsWith('user/') && { Authorization: `Bearer ${key}` }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const open = async (assistant_id: string) =>
    String((await send('POST', 'conversations', { assistant_id }))['conversation_id']);
  const [talk, informed] = [await open(owner.assistant), await open(owner.informed)];
  const found = await database.pool.query<{ uuid: string }>('SELECT uuid FROM conversations WHERE id = 50');
  const stored = found.rows[0]?.uuid ?? '';
  const operations: Record<string, Operation> = {
    'open a conversation': () => open(owner.assistant),
    'send a message': () => send('POST', `conversations/${talk}/messages`, { message: 'Question?' }),
    'send a message, with a search': () =>
      send('POST', `conversations/${informed}/messages`, { message: 'How long does delivery take?' }),
    'resume a conversation': () => send('GET', `conversations/${stored}`),
    'sweep for inactive conversations': () => endInactiveConversations({ database, jobs }),
  };
  const lists = [
    'conversations',
    'conversations?type=widget',
    'conversations?type=test',
    `conversations?assistant_id=${owner.assistant}`,
    'conversations?external_identifier=%2B4915901699450',
    'conversations?customer_phone=1699450',
    'leads',
    'leads?page=3',
    `leads?campaign_id=${owner.campaignId}`,
    'leads?status=completed',
    'leads?status=processing',
    `leads?campaign_id=${owner.smallCampaignId}`,
    'leads?phone_number=1699450',
    'calls',
    'calls?status=completed',
    'calls?status=failed',
    `calls?campaign_id=${owner.smallCampaignId}`,
    'audit-log',
    'webhook-deliveries',
    'webhook-deliveries?status=failed',
    'blocked-numbers',
    'campaigns',
    'assistants/get',
    'assistants',
    'knowledgebases',
    `knowledgebases/${owner.knowledgebaseId}/documents`,
    'tools',
    'phone-numbers/all',
    'api-keys',
    'model-usage',
    'me',
  ];
  for (const list of lists)
    operations[`GET ${list.replace(/[0-9a-f-]{36}/, '…')}`] = () => send('GET', `user/${list}`);
  for (const list of ['conversations', 'leads', 'calls'])
    operations[`GET ${list}, of an owner with few`] = () =>
      send('GET', `user/${list}`, undefined, owner.otherKey);
  return operations;
}
