import type { Queries } from '../db/database.ts';
import { isUuid } from '../lib/uuid.ts';
import { StoredJobs } from '../jobs/jobs.ts';
import { deletePerson, readPerson } from '../person/person.ts';
import type { Person } from '../person/person.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';
import { findUser } from './find-user.ts';

const personOptions = {
  conversation: { value: 'UUID', means: 'the person is who had this conversation' },
  phone: { value: 'number', means: 'the person has this phone number, such as +4915112345678' },
  customer: { value: 'identifier', means: 'the customer_identifier of generate-reply; with --user' },
  user: { value: 'id or e-mail', means: 'whose customer it is' },
} as const;

export const exportPersonCommand: Command = {
  name: 'person export',
  summary:
    'Prints what is stored of a person, as JSON: conversations, calls, leads, and what webhooks told of them.',
  options: personOptions,
  async run({ database: { db } }, values) {
    const data = await readPerson(db, await personOf(db, values));
    if (Object.values(data).every((records: unknown[]) => records.length === 0)) throw nothingFound();
    return { lines: [JSON.stringify(data, null, 2)], data };
  },
};

export const deletePersonCommand: Command = {
  name: 'person delete',
  summary: 'Deletes what is stored of a person. A number that asked not to be called stays blocked.',
  options: { ...personOptions, yes: { means: 'really; there is no way back', required: true } },
  async run({ database }, values) {
    const person = await personOf(database.db, values);
    const jobs = new StoredJobs(database);
    const counts = await database.db.transaction((tx) => deletePerson({ tx, jobs }, person));
    if (Object.values(counts).every((count) => count === 0)) throw nothingFound();
    const lines = Object.entries(counts).map(
      ([what, count]) => `${what.replace('_', ' ')}: ${count} deleted`,
    );
    return { lines, data: counts };
  },
};

/** @throws UsageError unless exactly one thing tells who it is. */
async function personOf(queries: Queries, values: CommandValues): Promise<Person> {
  const { conversation, phone, customer, user } = values;
  const given = [conversation, phone, customer].filter((value) => value !== undefined);
  if (given.length !== 1 || (customer === undefined) !== (user === undefined)) {
    throw new UsageError(
      'Say who it is: by --conversation <UUID>, by --phone <number>, or by --customer <identifier> and --user.',
    );
  }
  if (customer !== undefined) return { customer, userId: (await findUser(queries, user)).id };
  if (conversation !== undefined) {
    if (!isUuid(conversation)) throw new UsageError(`"${conversation}" is no UUID.`);
    return { conversation: conversation.toLowerCase() };
  }
  const number = (phone ?? '').replace(/[\s().-]/g, '');
  if (!/^\+[1-9]\d{6,14}$/.test(number)) {
    throw new UsageError(`"${phone}" is no phone number in E.164 format, such as +4915112345678.`);
  }
  return { phone: number };
}

const nothingFound = () => new CommandError('Nothing is stored of that person.');
