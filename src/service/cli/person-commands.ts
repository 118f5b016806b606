import { isUuid } from '../http/is-uuid.ts';
import { deletePerson, readPerson } from '../person/person.ts';
import type { Person } from '../person/person.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';

const personOptions = {
  conversation: { value: 'UUID', means: 'the person is who had this conversation' },
  phone: { value: 'number', means: 'the person has this phone number, such as +4915112345678' },
} as const;

export const exportPersonCommand: Command = {
  name: 'person export',
  summary:
    'Prints what is stored of a person, as JSON: conversations, calls, leads, and what webhooks told of them.',
  options: personOptions,
  async run({ database: { db } }, values) {
    const data = await readPerson(db, personOf(values));
    if (Object.values(data).every((records: unknown[]) => records.length === 0)) throw nothingFound();
    return { lines: [JSON.stringify(data, null, 2)], data };
  },
};

export const deletePersonCommand: Command = {
  name: 'person delete',
  summary: 'Deletes what is stored of a person. A number that asked not to be called stays blocked.',
  options: { ...personOptions, yes: { means: 'really; there is no way back', required: true } },
  async run({ database: { db } }, values) {
    const person = personOf(values);
    const counts = await db.transaction((tx) => deletePerson(tx, person));
    if (Object.values(counts).every((count) => count === 0)) throw nothingFound();
    const lines = Object.entries(counts).map(
      ([what, count]) => `${what.replace('_', ' ')}: ${count} deleted`,
    );
    return { lines, data: counts };
  },
};

/** @throws UsageError unless exactly one thing tells who it is. */
function personOf({ conversation, phone }: CommandValues): Person {
  if ((conversation === undefined) === (phone === undefined)) {
    throw new UsageError('Say who it is: by --conversation <UUID> or by --phone <number>.');
  }
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
