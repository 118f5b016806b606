import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { purgeExpiredKeys } from '../idempotency/idempotency-key.ts';
import { clearReleasedNumbers } from '../phone-number/phone-number.ts';
import type { Replies } from './replies.ts';
import { failAbandonedReplies } from './settle-reply.ts';

/**
 * Does, three times per lease, what no request does: renews this process's leases, refunds replies whose process
 * died, forgets old idempotency keys, clears released phone numbers away. Any number of processes may do it at once.
 *
 * @returns what ends it, resolved when the round under way is over.
 */
export function keepHouse(database: Database, replies: Replies, log: Logger): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  let running = false;
  const timer = setInterval(() => {
    // A round that waits for a slow database must not pile up behind itself.
    if (running) return;
    running = true;
    round = doRound(database, replies, log).finally(() => {
      running = false;
    });
  }, replies.lease.milliseconds / 3);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

async function doRound(database: Database, replies: Replies, log: Logger): Promise<void> {
  try {
    await replies.renewLeases();
    const abandoned = await failAbandonedReplies(database);
    if (abandoned > 0) log.warn({ abandoned }, 'refunded replies whose process had stopped');
    await purgeExpiredKeys(database.db);
    await clearReleasedNumbers(database.db);
  } catch (error) {
    log.error({ err: error }, 'housekeeping failed; it will be tried again');
  }
}
