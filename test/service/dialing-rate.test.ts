import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitDialingRate } from '../../src/service/call/start/limit-dialing-rate.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { callTo } from '../support/records/simulated-numbers.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';

const { carrier, service, pool, place } = await startPhoneService();
const { database } = service.running;
const never = new AbortController().signal;

/** Stores a call that has waited for these seconds, without the job that dials it; returns its id. */
async function insertCall(seconds: number): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_id, assistant_name, type, client_phone_number, created_at)
     SELECT user_id, id, name, 'outbound', $1, now() - $2 * interval '1 second' FROM assistants LIMIT 1
     RETURNING id`,
    [callTo.person, seconds],
  );
  return rows[0]?.id ?? 0;
}

/** Has a call that has waited for these seconds dialed; returns its id. */
async function storeCall(seconds: number): Promise<number> {
  const callId = await insertCall(seconds);
  await new StoredJobs(database).send('place-call', { callId });
  return callId;
}

/** The database's time, with microseconds. */
async function databaseTime(): Promise<string> {
  const { rows } = await pool.query<{ time: string }>('SELECT clock_timestamp()::text AS time');
  return rows[0]?.time ?? '';
}

/** Whether the next turn is at least these milliseconds after a time. */
async function isNextTurnAfter(time: string, milliseconds: number): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT 1 FROM dialing_turns WHERE next_at >= $1::timestamptz + $2 * interval '1 millisecond'",
    [time, milliseconds],
  );
  return rows.length === 1;
}

/** Waits until a call was dialed or has ended; returns `dialed` or its `end_reason`. */
const outcomeOf = (id: number) =>
  eventually(`call ${id} to be dialed or to end`, async () => {
    const { rows } = await pool.query<{ outcome: string | null }>(
      "SELECT CASE WHEN dialed_at IS NULL THEN end_reason ELSE 'dialed' END AS outcome FROM calls WHERE id = $1",
      [id],
    );
    return rows[0]?.outcome ?? undefined;
  });

describe('calls with a carrier that starts only some in a second', () => {
  it('are dialed one after the other', async () => {
    await place();
    carrier.callsPerSecond = 10;
    const ids = await Promise.all(Array.from({ length: 5 }, () => insertCall(0)));
    const time = await databaseTime();
    for (const callId of ids) await new StoredJobs(database).send('place-call', { callId });
    for (const id of ids) assert.equal(await outcomeOf(id), 'dialed');
    assert.ok(await isNextTurnAfter(time, 5 * 100));
    // The first call may be late, but none is before its turn.
    const { rows } = await pool.query<{ milliseconds: number }>(
      `SELECT extract(epoch FROM dialed_at - $2::timestamptz)::float * 1000 AS milliseconds FROM calls
       WHERE id = ANY ($1) ORDER BY dialed_at`,
      [ids, time],
    );
    const waits = rows.map(({ milliseconds }) => Math.round(milliseconds));
    // A timer may end some milliseconds early.
    assert.ok(
      waits.every((wait, index) => wait >= index * 100 - 10),
      waits.join(),
    );
  });

  it('take no turn if they have waited too long', async () => {
    carrier.callsPerSecond = 20;
    await place();
    const readTurn = () => pool.query('SELECT next_at FROM dialing_turns');
    const { rows: before } = await readTurn();
    assert.equal(await outcomeOf(await storeCall(301)), 'not-started');
    assert.deepEqual((await readTurn()).rows, before);
  });

  it('are dialed if they are too old only after they have waited for their turn', async () => {
    carrier.callsPerSecond = 20;
    await place();
    await pool.query(`
      CREATE FUNCTION pass_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE calls SET created_at = created_at - interval '301 seconds' WHERE dialed_at IS NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER pass_time AFTER UPDATE ON dialing_turns EXECUTE FUNCTION pass_time()`);
    const id = await storeCall(0);
    assert.equal(await outcomeOf(id), 'dialed');
    await pool.query('DROP TRIGGER pass_time ON dialing_turns');
    const { rows } = await pool.query(
      `SELECT dialed_at - created_at > interval '300 seconds' AS late FROM calls WHERE id = $1`,
      [id],
    );
    assert.deepEqual(rows, [{ late: true }]);
  });

  it('take turns in all processes', async () => {
    const time = await databaseTime();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 11 }, () => limitDialingRate(database, 50, never)));
    const milliseconds = performance.now() - startedAt;
    // A timer may end some milliseconds early.
    assert.ok(milliseconds >= 10 * 20 - 10, String(milliseconds));
    // The other processes read the next turn from the database.
    assert.ok(await isNextTurnAfter(time, 11 * 20));
  });

  it('do not wait while the service stops', async () => {
    await limitDialingRate(database, 0.1, never);
    const stop = new AbortController();
    const waiting = limitDialingRate(database, 0.1, stop.signal);
    stop.abort(new Error('The service is stopping.'));
    await assert.rejects(waiting, { name: 'AbortError' });
  });

  it('wait in the service if there are too many', async () => {
    await pool.query(`UPDATE dialing_turns SET next_at = now() + interval '35 seconds'`);
    await assert.rejects(limitDialingRate(database, 0.1, never), /Too many calls/);
  });

  it('are dialed after the database’s clock was set back', async () => {
    await pool.query(`UPDATE dialing_turns SET next_at = now() + interval '1 hour'`);
    const time = await databaseTime();
    await limitDialingRate(database, 50, never);
    await limitDialingRate(database, 50, never);
    assert.ok(await isNextTurnAfter(time, 2 * 20));
    assert.ok(!(await isNextTurnAfter(time, 60_000)));
  });
});
