import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { today } from '../db/database-time.ts';
import type { Database } from '../db/database.ts';
import { users } from '../db/schema.ts';

/** Users of one run that are named in the log; the others follow when these have topped up. */
const maxWarnings = 100;

/**
 * Warns of users whose balance is below a tenth of what it was after their last top-up, since their chats and calls stop
 * at 0. Users who have cost nothing for a week are left out.
 */
export async function warnOfLowBalances({ db }: Database, log: Logger): Promise<void> {
  const { rows } = await db.execute<{ id: number; balance: string }>(sql`
    SELECT ${users.id} AS id, ${users.balance} AS balance
    FROM ${users}, LATERAL (
      SELECT balance_after FROM ledger_entries
      WHERE kind = 'top_up' AND amount > 0 AND user_id = ${users.id}
      ORDER BY id DESC LIMIT 1
    ) AS top_up
    WHERE ${users.spentOn} >= ${today} - 7 AND ${users.balance} < top_up.balance_after / 10
    ORDER BY ${users.id} LIMIT ${maxWarnings}`);
  for (const { id, balance } of rows) {
    log.warn(
      { userId: id, balance: Number(balance) },
      `the balance of user ${String(id)} is below a tenth of what it was after the last top-up: its chats and calls ` +
        `stop at 0. Add to it with "top-up --user ${String(id)} --amount <USD>".`,
    );
  }
}
