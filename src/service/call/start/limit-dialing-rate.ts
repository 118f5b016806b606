import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';

/** Maximum wait in seconds: the call's job has a time limit. */
const maxWaitSeconds = 30;

/**
 * Waits until a call may be dialed. All processes together dial at most `callsPerSecond` calls a second.
 *
 * @throws Error if too many calls are waiting, or the signal is aborted.
 */
export async function limitDialingRate(
  { db }: Database,
  callsPerSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const interval = sql`${1 / callsPerSecond}::float * interval '1 second'`;
  const maxWait = sql`${maxWaitSeconds} * interval '1 second'`;
  // No turn is later than this, unless the database's clock was set back after it was taken.
  const isInvalid = sql`turns.next_at > clock_timestamp() + ${maxWait} + ${interval}`;
  const { rows } = await db.execute<{ seconds: number }>(sql`
    INSERT INTO dialing_turns AS turns (next_at) VALUES (clock_timestamp() + ${interval})
    ON CONFLICT (is_single) DO UPDATE
      SET next_at = CASE WHEN ${isInvalid} THEN clock_timestamp() ELSE greatest(turns.next_at, clock_timestamp()) END
        + ${interval}
      WHERE turns.next_at < clock_timestamp() + ${maxWait} OR ${isInvalid}
    RETURNING extract(epoch FROM next_at - ${interval} - clock_timestamp())::float AS seconds`);
  const [turn] = rows;
  if (!turn) throw new Error('Too many calls are waiting to be dialed.');
  if (turn.seconds > 0) await pause(turn.seconds * 1000, undefined, { signal });
}
