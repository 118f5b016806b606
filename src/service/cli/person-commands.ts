import type { Queries } from '../db/database.ts';
import { isUuid } from '../lib/uuid.ts';
import { StoredJobs } from '../jobs/jobs.ts';
import { deletePerson, findOwners, readPerson } from '../person/person.ts';
import type { Person } from '../person/person.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';
import { findUser } from './find-user.ts';

const personOptions = {
  conversation: { value: 'UUID', description: "the conversation's visitor" },
  phone: { value: 'number', description: "the person's phone number, such as +4915112345678" },
  customer: { value: 'identifier', description: 'the customer_identifier of generate-reply; with --user' },
  sub: { value: 'sub', description: "the sub of the visitor's user tokens; with --user" },
  user: { value: 'id or e-mail', description: 'the owner of the assistant; with --customer and --sub' },
} as const;

export const exportPersonCommand: Command = {
  name: 'person export',
  summary:
    'Prints all data about a person as JSON: conversations, calls, leads, and webhook deliveries about them.',
  options: personOptions,
  async run({ database: { db } }, values) {
    const data = await readPerson(db, await readPersonOption(db, values));
    if (Object.values(data).every((records: unknown[]) => records.length === 0)) throw nothingFound();
    return { lines: [JSON.stringify(data, null, 2)], data };
  },
};

export const deletePersonCommand: Command = {
  name: 'person delete',
  summary: 'Deletes all data about a person. A number that asked not to be called stays blocked.',
  options: {
    ...personOptions,
    yes: { description: 'confirms the deletion, which cannot be undone', required: true },
  },
  async change({ database }, values) {
    const person = await readPersonOption(database.db, values);
    const jobs = new StoredJobs(database);
    const owners = await findOwners(database.db, person);
    const counts = await deletePerson({ tx: database.db, jobs }, person);
    if (Object.values(counts).every((count) => count === 0)) throw nothingFound();
    const lines = Object.entries(counts).map(
      ([records, count]) =>
        `${records.replaceAll('_', ' ')}: ${count} ${records === 'calls_to_contacts' ? 'changed' : 'deleted'}`,
    );
    // Without an id, which would identify the person.
    const changed = owners.map((userId) => ({ userId, object: 'person' as const, objectId: null }));
    return { lines, data: counts, changed };
  },
};

/** @throws UsageError unless the options identify exactly one person. */
async function readPersonOption(queries: Queries, values: CommandValues): Promise<Person> {
  const { conversation, phone, customer, sub, user } = values;
  const given = [conversation, phone, customer, sub].filter((value) => value !== undefined);
  const isOfUser = customer !== undefined || sub !== undefined;
  if (given.length !== 1 || isOfUser !== (user !== undefined)) {
    throw new UsageError(
      'Identify the person with --conversation <UUID>, --phone <number>, or with --user and either --customer ' +
        '<identifier> or --sub <sub>.',
    );
  }
  if (customer !== undefined) return { customer, userId: (await findUser(queries, user)).id };
  if (sub !== undefined) return { sub, userId: (await findUser(queries, user)).id };
  if (conversation !== undefined) {
    if (!isUuid(conversation)) throw new UsageError(`"${conversation}" is not a UUID.`);
    return { conversation: conversation.toLowerCase() };
  }
  // Written as the customer identifiers that `hasPhoneNumber` finds, such as +49 (0)151 …
  const number = (phone ?? '').replace(/(?<=\d\s*)\(0\)|[\s()./-]/g, '');
  if (!/^\+[1-9]\d{6,14}$/.test(number)) {
    throw new UsageError(`"${phone}" is not a phone number in E.164 format, such as +4915112345678.`);
  }
  return { phone: number };
}

const nothingFound = () => new CommandError('There is no data about this person.');
