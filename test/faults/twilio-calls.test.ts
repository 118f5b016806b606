import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pg from 'pg';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { startPostgres } from '../support/service/postgres.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { eventually } from '../support/twilio/eventually.ts';
import type { StandInCall } from '../support/twilio/stand-in-call.ts';
import { twilioSettings, TwilioStandIn } from '../support/twilio/stand-in.ts';
import { ClusterNode } from './cluster.ts';

/*
 * Calls of campaigns with the stand-in for Twilio and three processes on one PostgreSQL server, while processes are
 * killed and the database is restarted. The tests are steps that build on each other.
 */
const campaigns = 50;
/** The most that a campaign may have. */
const callsAtOnce = 10;
const total = campaigns * callsAtOnce;
const own = '+493012345678';
const patience = 120_000;

const postgres = await startPostgres({
  settings: ['fsync=off', 'synchronous_commit=on', 'max_connections=60'],
});
atEnd(() => postgres.stop());
const twilio = await TwilioStandIn.start();
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
  ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'test', REPLY_LEASE_SECONDS: '5', JOB_POLL_SECONDS: '0.5' },
  ...{ CAMPAIGN_POLL_SECONDS: '0.5', MAX_CALLS_IN_PARALLEL: '0', MAX_CALLS_PER_DAY: '0' },
};
const api = await startService({ ...env, WORKERS: 'off' });
const nodes: ClusterNode[] = [];
for (let index = 0; index < 3; index++) nodes.push(await ClusterNode.start(env, databaseUrl));
const reach = (...alive: ClusterNode[]) => {
  twilio.reach(...alive.map(({ url }) => url));
};
reach(...nodes);
const [first, second, third] = nodes as [ClusterNode, ClusterNode, ClusterNode];

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

const numberOf = (index: number) => `+4930876${String(50_000 + index)}`;
const outcomeOf = (index: number) => outcomes[index % outcomes.length] ?? outcomes[0];
const isAnswered = (index: number) => 'report' in outcomeOf(index);
const calls = new Map<number, StandInCall>();
const callOf = (index: number): StandInCall => calls.get(index) ?? assert.fail(`No call ${String(index)}.`);
const all = Array.from({ length: total }, (_, index) => index);
const answered = all.filter(isAnswered);

/** Runs a step for each call, 25 at once. */
async function forEach(indices: readonly number[], step: (index: number) => Promise<unknown>): Promise<void> {
  const waiting = [...indices];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await step(next);
  };
  await Promise.all(Array.from({ length: 25 }, work));
}

let owner: Owner;

describe(`${String(total)} calls at once with three processes`, () => {
  test('are dialed once per number', async () => {
    owner = await Owner.create(api, '1000');
    const assistant = await owner.create(
      'assistant',
      assistantBody({
        ...{ initial_message: 'Hello, this is Kim.', post_call_evaluation: false },
        ...{ voice_mail_message: 'Please call back.', end_call_on_voicemail: true },
      }),
    );
    for (let campaign = 0; campaign < campaigns; campaign++) {
      const { id } = await owner.create('campaigns', {
        ...{ name: `Campaign ${String(campaign)}`, assistant_id: assistant.id, max_retries: 1 },
        ...{ max_calls_in_parallel: callsAtOnce, phone_number_ids: [] },
      });
      await forEach(all.slice(campaign * callsAtOnce, (campaign + 1) * callsAtOnce), (index) =>
        owner.create('lead', { phone_number: numberOf(index), campaign_id: id }),
      );
      await owner.post('campaigns/update-status', { campaign_id: id, action: 'start' });
    }
    await eventually(
      () => `${String(total)} calls; ${String(twilio.calls.length)} so far`,
      () => (twilio.calls.length >= total ? true : undefined),
      patience,
    );
    for (const index of all) {
      const made = twilio.calls.filter(({ form }) => form['To'] === numberOf(index));
      assert.equal(made.length, 1, numberOf(index));
      if (made[0]) calls.set(index, made[0]);
    }
  });

  test('are answered after a process that dialed was killed, with repeated and reordered reports', async () => {
    await first.kill();
    reach(second, third);
    await forEach(all, async (index) => {
      const outcome = outcomeOf(index);
      const call = callOf(index);
      if ('unreached' in outcome) {
        await call.end(outcome.unreached);
        await call.report('ringing');
        await call.report(outcome.unreached);
        return;
      }
      await call.answer();
      await call.report('ringing');
      await call.report('in-progress');
      await (await call.connected()).hears('Hello, this is Kim.');
    });
  });

  test('continue after a process that held them was killed', async () => {
    reach(third);
    await second.kill();
    await forEach(answered, async (index) => {
      const call = callOf(index);
      const relay = await eventually(
        () => `a connection of ${numberOf(index)}; problems: ${call.problems.join('; ')}`,
        () => call.relays.findLast(({ closeCode }) => closeCode === undefined),
        patience,
      );
      if (call.relays.length > 1) await relay.hears('We open at nine.');
    });
    await Promise.all([first.start(), second.start()]);
    reach(first, second, third);
  });

  test('continue after a restart of the database', async () => {
    await postgres.restart();
    await eventually(
      () => 'the database',
      async () => {
        const { status } = await fetch(`${third.url}/healthz`);
        return status === 200 ? true : undefined;
      },
      patience,
    );
    const people = answered.filter((index) => ['human', 'unknown'].includes(reportOf(index)));
    await forEach(people, async (index) => {
      const { relay } = callOf(index);
      const before = relay.played.length;
      relay.say('When do you open?');
      await eventually(
        () => `an answer to ${numberOf(index)}; heard: ${relay.played.join(' | ')}`,
        () => (relay.played.length > before ? true : undefined),
        patience,
      );
    });
  });

  test('end as the carrier reports', async () => {
    await forEach(answered, async (index) => {
      const call = callOf(index);
      const report = reportOf(index);
      await call.identify(report);
      await call.identify(report);
      if (report.startsWith('machine') || report === 'fax') await call.over();
      else await call.hangUp();
      await call.report('completed');
    });
    await eventually(
      () => 'the end of all calls',
      async () => {
        const { rows } = await pool.query<{ open: string }>(
          `SELECT count(*) AS open FROM calls WHERE status IN ('initiated', 'ringing', 'in-progress')`,
        );
        return rows[0]?.open === '0' ? true : undefined;
      },
      patience,
    );
    const { rows } = await pool.query<{ number: string; status: string; by: string; reason: string }>(
      'SELECT client_phone_number AS number, status, end_reason AS reason, answered_by AS by FROM calls',
    );
    const ends = new Map(rows.map(({ number, ...end }) => [number, end]));
    const wrong = all.flatMap((index) => {
      const expected = outcomeOf(index);
      const found = ends.get(numberOf(index));
      const isRight =
        found?.status === expected.status && (!('report' in expected) || found.by === expected.answeredBy);
      return isRight ? [] : [{ ...expected, found }];
    });
    assert.deepEqual(wrong, []);
  });

  test('are dialed and charged only once', async () => {
    assert.equal(twilio.calls.length, total);
    const { rows } = await pool.query<{ id: number; cost: string; duration: number; minutes: string }>(
      `SELECT id, total_cost AS cost, duration, (SELECT count(*) FROM ledger_entries
         WHERE call_id = calls.id AND kind = 'charge') AS minutes FROM calls`,
    );
    assert.equal(rows.length, total);
    for (const { id, cost, minutes } of rows)
      assert.equal(Number(cost).toFixed(2), (Number(minutes) * 0.1).toFixed(2), `call ${String(id)}`);
    const sum = rows.reduce((cents, { cost }) => cents + Math.round(Number(cost) * 100), 0);
    const money = await pool.query<{ balance: string; ledger: string; twice: string }>(
      `SELECT u.balance, (SELECT sum(amount) FROM ledger_entries WHERE user_id = u.id) AS ledger,
         (SELECT count(*) FROM (SELECT 1 FROM ledger_entries WHERE kind = 'charge' AND call_id IS NOT NULL
           GROUP BY call_id, call_minute HAVING count(*) > 1) AS repeated) AS twice
       FROM users u WHERE u.id = $1`,
      [owner.id],
    );
    const { balance, ledger, twice } = money.rows[0] ?? {};
    assert.equal(Number(balance).toFixed(2), ((100_000 - sum) / 100).toFixed(2));
    assert.equal(Number(ledger).toFixed(2), Number(balance).toFixed(2));
    assert.equal(twice, '0');
    assert.ok(sum >= answered.length * 10);
  });
});

function reportOf(index: number): string {
  const outcome = outcomeOf(index);
  return 'report' in outcome ? outcome.report : '';
}
