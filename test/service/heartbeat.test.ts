import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'drizzle-orm';
import { abandonedBefore, recordHeartbeat } from '../../src/service/db/heartbeat.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const leaseMs = 3_600_000;
const { database } = (await startService({ ...(await newDatabase()), REPLY_LEASE_SECONDS: '3600' })).running;
const { db, pool } = database;

/** Sets the last heartbeat, and the end of the last outage, as times before now. */
const set = (lastAt: string, steadySince: string) =>
  pool.query(`UPDATE heartbeat SET last_at = now() - $1::interval, steady_since = now() - $2::interval`, [
    lastAt,
    steadySince,
  ]);

/** Whether a lease that expired a second ago counts as abandoned. */
const isAbandoned = async () => {
  const { rows } = await db.execute<{ abandoned: boolean | null }>(
    sql`SELECT now() - interval '1 second' <= ${abandonedBefore(leaseMs)} AS abandoned`,
  );
  return rows[0]?.abandoned === true;
};

describe('an expired lease', () => {
  it('is abandoned while processes reach the database without a pause', async () => {
    await set('20 minutes', '61 minutes');
    await recordHeartbeat(db, leaseMs);
    assert.equal(await isAbandoned(), true);
  });

  it('is not abandoned before the first heartbeat after an outage', async () => {
    await set('31 minutes', '1 day');
    assert.equal(await isAbandoned(), false);
  });

  it('is not abandoned for the time of a lease after an outage', async () => {
    await set('31 minutes', '1 day');
    await recordHeartbeat(db, leaseMs);
    assert.equal(await isAbandoned(), false);
    await recordHeartbeat(db, leaseMs);
    assert.equal(await isAbandoned(), false);
    await set('1 minute', '59 minutes');
    assert.equal(await isAbandoned(), false);
    await set('1 minute', '61 minutes');
    assert.equal(await isAbandoned(), true);
  });

  it('waits for no future time after a clock was set back', async () => {
    await set('-1 day', '-1 day');
    await recordHeartbeat(db, leaseMs);
    const { rows } = await pool.query<{ steady: boolean }>(
      'SELECT last_at <= now() AND steady_since <= now() AS steady FROM heartbeat',
    );
    assert.equal(rows[0]?.steady, true);
    assert.equal(await isAbandoned(), false);
  });
});
