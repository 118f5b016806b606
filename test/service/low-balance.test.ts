import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { warnOfLowBalances } from '../../src/service/billing/low-balance.ts';
import { createUser } from '../../src/service/user/users.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const service = await startService(await newDatabase());
const { database } = service.running;
const { db, pool } = database;

/** Creates a user who has topped up, in USD, and then spent. */
async function createSpender(name: string, topUps: string[], spent: string): Promise<number> {
  const userId = await createUser(database, { name, email: `${name}@low.example` });
  for (const amount of topUps) await moveMoney(db, { userId, kind: 'top_up', amount });
  await moveMoney(db, { userId, kind: 'charge', amount: spent });
  return userId;
}

/** The users that the log warns of, with their balances. */
async function warnings() {
  const lines: string[] = [];
  await warnOfLowBalances(database, pino({}, { write: (line: string) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as { userId: number; balance: number; msg: string });
}

test('warns of balances below a tenth of what they were after the last top-up', async () => {
  const almostEmpty = await createSpender('ada', ['10'], '9.01');
  const empty = await createSpender('bo', ['10'], '10');
  await createSpender('cy', ['10'], '9');
  const toppedUp = await createSpender('dee', ['1', '99'], '90.01');
  const found = await warnings();
  assert.deepEqual(
    found.map(({ userId, balance }) => [userId, balance]),
    [
      [almostEmpty, 0.99],
      [empty, 0],
      [toppedUp, 9.99],
    ],
  );
  assert.match(
    found[0]?.msg ?? '',
    /below a tenth of what it was after the last top-up: .* "top-up --user \d+ --amount <USD>"/,
  );
  await moveMoney(db, { userId: empty, kind: 'top_up', amount: '10' });
  assert.equal((await warnings()).length, 2);
});

test('does not warn of users who have cost nothing for a week', async () => {
  const userId = await createSpender('eve', ['10'], '9.5');
  assert.ok((await warnings()).some((found) => found.userId === userId));
  await pool.query('UPDATE users SET spent_on = spent_on - 8 WHERE id = $1', [userId]);
  assert.ok(!(await warnings()).some((found) => found.userId === userId));
});
