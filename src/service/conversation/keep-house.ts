import type { Logger } from 'pino';
import type { Calls } from '../call/calls.ts';
import { failAbandonedCalls } from '../call/end-call.ts';
import type { Database } from '../db/database.ts';
import { purgeExpiredKeys } from '../idempotency/idempotency-key.ts';
import { clearReleasedNumbers } from '../phone-number/phone-number.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { endQuietConversations } from './end-conversation.ts';
import type { Replies } from './replies.ts';
import { failAbandonedReplies } from './settle-reply.ts';

/** What is kept in order, and with what. */
interface House {
  database: Database;
  jobs: Jobs;
  replies: Replies;
  calls: Calls;
  log: Logger;
}

/**
 * Does, three times per lease, what no request does: renews this process's leases, refunds replies whose process
 * died, ends such calls and quiet conversations, forgets old idempotency keys, clears released phone numbers away. Any
 * number of processes may do it at once.
 *
 * @returns what ends it, resolved when the round under way is over.
 */
export function keepHouse({ database, jobs, replies, calls, log }: House): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  let running = false;
  const timer = setInterval(() => {
    // A round that waits for a slow database must not pile up behind itself.
    if (running) return;
    running = true;
    round = doRound({ database, jobs, replies, calls, log }).finally(() => {
      running = false;
    });
  }, replies.lease.milliseconds / 3);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

/**
 * The leases come first, since a round that takes too long must not have others give up what is under way here; and
 * what fails keeps nothing else from being done.
 */
async function doRound({ database, jobs, replies, calls, log }: House): Promise<void> {
  const steps = [
    () => replies.renewLeases(),
    () => calls.renewLeases(),
    async () => {
      const abandoned = await failAbandonedReplies(database);
      if (abandoned > 0) log.warn({ abandoned }, 'refunded replies whose process had stopped');
    },
    async () => {
      const cutOff = await failAbandonedCalls({ database, jobs });
      if (cutOff > 0) log.warn({ cutOff }, 'ended calls whose process had stopped');
    },
    () => endQuietConversations({ database, jobs }),
    () => purgeExpiredKeys(database.db),
    () => clearReleasedNumbers(database.db),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.error({ err: error }, 'housekeeping failed; it will be tried again');
    }
  }
}
