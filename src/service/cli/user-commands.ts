import { eq } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import { users } from '../db/schema.ts';
import { EmailTakenError, createUser, listUsers } from '../user/users.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';
import { findUser, userOption } from './find-user.ts';
import { readNewUser } from './new-user.ts';
import { table } from './table.ts';

export const createUserCommand: Command = {
  name: 'users create',
  summary: 'Creates a user, the owner of assistants and keys.',
  createsDatabase: true,
  options: {
    name: { value: 'name', description: 'full name', required: true },
    email: { value: 'address', description: 'e-mail address; must be unique', required: true },
    balance: { value: 'USD', description: 'initial balance; 0 by default' },
  },
  async change({ database }, values) {
    const { name, email } = readNewUser(values);
    const balance = amountOf({ balance: '0', ...values }, 'balance');
    const id = await createUser(database, { name, email, balance }).catch((error: unknown) => {
      throw error instanceof EmailTakenError ? new CommandError(error.message, { cause: error }) : error;
    });
    return {
      lines: [`Created user ${id}.`],
      data: { id, name, email },
      changed: [{ userId: id, object: 'user', objectId: id }],
    };
  },
};

export const listUsersCommand: Command = {
  name: 'users list',
  summary: 'Lists the users with their balances.',
  options: {},
  async run({ database }) {
    const found = await listUsers(database);
    return {
      lines: table(
        ['id', 'name', 'e-mail', 'balance', 'keys'],
        found.map(({ id, name, email, balance, keys }) => [id, name, email, balance, keys]),
      ),
      data: found,
    };
  },
};

export const topUpCommand: Command = {
  name: 'top-up',
  summary: "Adds to a user's balance, or takes back, with an entry in the ledger.",
  options: {
    user: { ...userOption, description: 'the user', required: true },
    amount: {
      value: 'USD',
      description: 'amount, such as 25 or 0.50; --amount=-25 takes back 25',
      required: true,
    },
  },
  async change({ database: { db } }, values) {
    const amount = amountOf(values, 'amount', 'other than 0');
    const { id } = await findUser(db, values['user']);
    const isMoved = await moveMoney(db, { userId: id, kind: 'top_up', amount });
    const [user] = await db.select({ balance: users.balance }).from(users).where(eq(users.id, id));
    const balance = user?.balance;
    if (!isMoved) {
      throw new CommandError(
        `The balance is ${balance} USD. Not more than that can be taken back. Nothing was changed.`,
      );
    }
    return {
      lines: [`The new balance is ${balance} USD.`],
      data: { balance },
      changed: [{ userId: id, object: 'balance', objectId: null }],
    };
  },
};

/** A decimal string, since binary floating point cannot represent cents exactly. */
function amountOf(
  values: CommandValues,
  option: string,
  range: 'of at least 0' | 'other than 0' = 'of at least 0',
): string {
  const text = values[option] ?? '';
  const pattern = range === 'of at least 0' ? amountPattern : signedPattern;
  if (!pattern.test(text) || (range === 'other than 0' && Number(text) === 0)) {
    throw new UsageError(
      `--${option} must be an amount ${range} with at most 4 decimals, such as 25 or 0.50.`,
    );
  }
  return text;
}

const amountPattern = /^\d{1,9}(\.\d{1,4})?$/;
const signedPattern = /^-?\d{1,9}(\.\d{1,4})?$/;
