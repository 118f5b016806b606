import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import pg from 'pg';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { startPostgres } from '../support/service/postgres.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeTwilioCall } from '../support/twilio/fake-twilio-call.ts';
import { twilioSettings, FakeTwilio } from '../support/twilio/fake-twilio.ts';
import { ClusterNode } from './cluster.ts';

/*
 * Calls of campaigns with the fake Twilio and three processes on one PostgreSQL server, while processes are
 * killed and the database is restarted. Each test has an owner, numbers and calls of its own.
 */
/** The most that a campaign may have. */
const callsAtOnce = 10;
const own = '+493012345678';
const timeout = 120_000;

const postgres = await startPostgres({
  settings: ['fsync=off', 'synchronous_commit=on', 'max_connections=60'],
});
atEnd(() => postgres.stop());
const twilio = await FakeTwilio.start();
twilio.own(own);
atEnd(() => twilio.close());
const model = await startModelServer();
atEnd(() => model.close());
model.behave({ chunks: ['We open ', 'at nine.'] });
const folder = await mkdtemp(join(tmpdir(), 'twilio-calls-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const databaseUrl = postgres.url('postgres');
const env = {
  ...twilioSettings(twilio),
  ...{
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    TWILIO_PHONE_NUMBER: own,
    WORKERS: 'on',
  },
  ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'test', REPLY_LEASE_SECONDS: '20', JOB_POLL_SECONDS: '0.5' },
  ...{ MAX_CALLS_IN_PARALLEL: '0', MAX_CALLS_PER_DAY: '0' },
};
const api = await startService({ ...env, WORKERS: 'off' });
const nodes: ClusterNode[] = [];
for (let index = 0; index < 3; index++) nodes.push(await ClusterNode.start(env, databaseUrl));
const [first, second] = nodes as [ClusterNode, ClusterNode];
const killed = new Set<ClusterNode>();

/** Has the carrier reach all processes but those that are killed. */
const reachAlive = () => {
  twilio.reach(...nodes.filter((node) => !killed.has(node)).map(({ url }) => url));
};
reachAlive();

/** The carrier reaches the other processes from now on. */
async function kill(node: ClusterNode): Promise<void> {
  killed.add(node);
  reachAlive();
  await node.kill();
}

async function restartKilled(): Promise<void> {
  await Promise.all(Array.from(killed, (node) => node.start()));
  killed.clear();
  reachAlive();
}

const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
pool.on('error', () => undefined);
atEnd(() => pool.end());

/** The outcome of a call: unanswered, or answered, and the carrier identifies who answered during the call. */
const outcomes = [
  { report: 'human', status: 'completed', answeredBy: 'human' },
  { report: 'unknown', status: 'completed', answeredBy: 'unknown' },
  { report: 'machine_start', status: 'completed', answeredBy: 'machine' },
  { report: 'machine_end_beep', status: 'completed', answeredBy: 'machine' },
  { report: 'machine_end_silence', status: 'completed', answeredBy: 'machine' },
  { report: 'machine_end_other', status: 'completed', answeredBy: 'machine' },
  { report: 'fax', status: 'ended_by_assistant', answeredBy: 'machine' },
  { unreached: 'busy', status: 'busy' },
  { unreached: 'no-answer', status: 'no-answer' },
  { unreached: 'failed', status: 'failed' },
  { unreached: 'canceled', status: 'no-answer' },
] as const;

type Outcome = (typeof outcomes)[number];

/** A call of a test, with the outcome that the customer's number has. */
interface TestedCall {
  number: string;
  outcome: Outcome;
  call: FakeTwilioCall;
}

interface Batch {
  owner: Owner;
  all: TestedCall[];
  answered: (TestedCall & { outcome: Extract<Outcome, { report: string }> })[];
}

/** Runs a step for each item, 25 at once. */
async function forEach<Item>(items: readonly Item[], step: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await step(next);
  };
  await Promise.all(Array.from({ length: 25 }, work));
}

const isAnswered = (tested: TestedCall): tested is Batch['answered'][number] => 'report' in tested.outcome;

let numbers = 50_000;

/** Has campaigns of a new owner call new numbers; resolves when each was dialed. */
async function dial(count: number): Promise<Batch> {
  const owner = await Owner.create(api, '1000');
  const assistant = await owner.create(
    'assistant',
    assistantBody({
      ...{ initial_message: 'Hello, this is Kim.', post_call_evaluation: false },
      ...{ voice_mail_message: 'Please call back.', end_call_on_voicemail: true },
      // The customers are silent while processes and the database are restarted.
      ...{ max_silence_duration: 360, reengagement_interval: 600 },
    }),
  );
  const dialed = Array.from({ length: count }, () => `+4930876${String(numbers++)}`);
  for (let start = 0; start < count; start += callsAtOnce) {
    const { id } = await owner.create('campaigns', {
      ...{ name: `Campaign ${String(start)}`, assistant_id: assistant.id, max_retries: 1 },
      ...{ max_calls_in_parallel: callsAtOnce, phone_number_ids: [] },
    });
    await forEach(dialed.slice(start, start + callsAtOnce), (phone_number) =>
      owner.create('lead', { phone_number, campaign_id: id }),
    );
    await owner.post('campaigns/update-status', { campaign_id: id, action: 'start' });
  }
  const callsOf = () => Map.groupBy(twilio.calls, ({ form }) => form['To'] ?? '');
  const isDialed = (byNumber: ReturnType<typeof callsOf>) => dialed.filter((number) => byNumber.has(number));
  await eventually(
    () => `${String(count)} calls; ${String(isDialed(callsOf()).length)} so far`,
    () => isDialed(callsOf()).length === count || undefined,
    timeout,
  );
  const byNumber = callsOf();
  const all = dialed.map((number, index) => ({
    number,
    outcome: outcomes[index % outcomes.length] ?? outcomes[0],
    call: byNumber.get(number)?.[0] ?? assert.fail(`${number} was not dialed.`),
  }));
  return { owner, all, answered: all.filter(isAnswered) };
}

/** The customers answer or not; the carrier repeats and reorders its reports. */
async function answer({ all }: Batch): Promise<void> {
  await forEach(all, async ({ outcome, call }) => {
    if ('unreached' in outcome) {
      await call.end(outcome.unreached);
      await call.report('ringing');
      await call.report(outcome.unreached);
      return;
    }
    await call.answer();
    await call.report('ringing');
    await call.report('in-progress');
    await (await call.connected()).hears('Hello, this is Kim.', timeout);
  });
}

/** Waits until each answered call has a connection, and those that lost one have been resumed. */
async function resume({ answered }: Batch): Promise<void> {
  await forEach(answered, async ({ number, call }) => {
    const relay = await eventually(
      () => `a connection of ${number}, which is ${call.status}; problems: ${call.problems.join('; ')}`,
      () => call.relays.findLast(({ closeCode }) => closeCode === undefined),
      timeout,
    );
    if (call.relays.length > 1) await relay.hears('We open at nine.', timeout);
  });
}

async function restartDatabase(): Promise<void> {
  await postgres.restart();
  await forEach(
    nodes.filter((node) => !killed.has(node)),
    ({ url }) =>
      eventually(
        () => `the database at ${url}`,
        async () => ((await fetch(`${url}/healthz`)).status === 200 ? true : undefined),
        timeout,
      ),
  );
}

/** The persons ask a question, and hear the answer. */
async function ask({ answered }: Batch): Promise<void> {
  const people = answered.filter(({ outcome }) => ['human', 'unknown'].includes(outcome.report));
  await forEach(people, async ({ number, call: { relay } }) => {
    const before = relay.played.length;
    relay.say('When do you open?');
    await eventually(
      () => `an answer to ${number}; heard: ${relay.played.join(' | ')}`,
      () => relay.played.length > before || undefined,
      timeout,
    );
  });
}

/** Ends all calls, and checks their ends, that no number was dialed twice, and the money. */
async function end({ owner, all, answered }: Batch): Promise<void> {
  await forEach(answered, async ({ outcome: { report }, call }) => {
    await call.identify(report);
    await call.identify(report);
    if (report.startsWith('machine') || report === 'fax') await call.over(timeout);
    else await call.hangUp();
    await call.report('completed');
  });
  await eventually(
    () => 'the end of all calls',
    async () => {
      const { rows } = await pool.query<{ open: string }>(
        `SELECT count(*) AS open FROM calls
         WHERE user_id = $1 AND status IN ('initiated', 'ringing', 'in-progress')`,
        [owner.id],
      );
      return rows[0]?.open === '0' || undefined;
    },
    timeout,
  );
  const { rows } = await pool.query<{
    number: string;
    status: string;
    reason: string;
    by: string;
    cost: string;
    minutes: number;
    paid: string;
  }>(
    `SELECT client_phone_number AS number, status, end_reason AS reason, answered_by AS by, total_cost AS cost,
       (SELECT count(*)::int FROM ledger_entries WHERE call_id = calls.id AND kind = 'charge') AS minutes,
       (SELECT -coalesce(sum(amount), 0) FROM ledger_entries WHERE call_id = calls.id) AS paid
     FROM calls WHERE user_id = $1`,
    [owner.id],
  );
  assert.equal(rows.length, all.length);
  const found = new Map(rows.map(({ number, ...record }) => [number, record]));
  const wrong = all
    .map(({ number, outcome }) => ({ number, outcome, record: found.get(number) }))
    .filter(({ outcome, record }) => {
      if (record?.status !== outcome.status) return true;
      return 'report' in outcome
        ? record.by !== outcome.answeredBy || record.minutes < 1
        : record.minutes !== 0;
    });
  assert.deepEqual(wrong, []);
  for (const { number } of all)
    assert.equal(twilio.calls.filter(({ form }) => form['To'] === number).length, 1, number);

  let sum = 0;
  for (const { number, cost, minutes, paid } of rows) {
    const cents = minutes * 10;
    sum += cents;
    assert.deepEqual([toCents(cost), toCents(paid)], [cents, cents], number);
  }
  const money = await pool.query<{ balance: string; ledger: string; twice: string }>(
    `SELECT u.balance, (SELECT sum(amount) FROM ledger_entries WHERE user_id = u.id) AS ledger,
       (SELECT count(*) FROM (SELECT 1 FROM ledger_entries
         WHERE user_id = u.id AND kind = 'charge' AND call_id IS NOT NULL
         GROUP BY call_id, call_minute HAVING count(*) > 1) AS repeated) AS twice
     FROM users u WHERE u.id = $1`,
    [owner.id],
  );
  const { balance = '', ledger = '', twice } = money.rows[0] ?? {};
  assert.deepEqual([toCents(balance), toCents(ledger), twice], [100_000 - sum, 100_000 - sum, '0']);
}

/** Amounts may have more digits than cents. */
const toCents = (amount: string) => Number((Number(amount) * 100).toFixed(6));

/** Every outcome twice. */
const few = 2 * outcomes.length;
const many = 500;

describe('calls of campaigns with three processes', () => {
  afterEach(restartKilled);

  test('end as the carrier reports, and are charged once, after a process that dialed was killed', async () => {
    const batch = await dial(few);
    await kill(first);
    await answer(batch);
    await ask(batch);
    await end(batch);
  });

  test('continue, and are charged once, after the process that owned them was killed', async () => {
    const batch = await dial(few);
    await answer(batch);
    await kill(second);
    await resume(batch);
    await ask(batch);
    await end(batch);
  });

  test('continue, and are charged once, after a restart of the database', async () => {
    const batch = await dial(few);
    await answer(batch);
    await restartDatabase();
    await ask(batch);
    await end(batch);
  });

  test(`continue, ${String(many)} at once, after all of this in a row`, async () => {
    const batch = await dial(many);
    await kill(first);
    await answer(batch);
    await kill(second);
    await resume(batch);
    await restartKilled();
    await restartDatabase();
    await ask(batch);
    await end(batch);
  });
});
