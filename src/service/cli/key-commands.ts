import { scopes } from '../../contract/operations.ts';
import type { Scope } from '../../contract/operations.ts';
import {
  KeyReplacedError,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  storeApiKey,
} from '../api-key/api-key.ts';
import { parseAddressRange } from '../lib/address-range.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandValues } from './command.ts';
import { findUser, userOption } from './find-user.ts';
import { table } from './table.ts';

/** Longest name of a key, in characters. */
const nameLimit = 255;

/** Most days until a key expires. */
const longestLifetime = 3650;

export const createKeyCommand: Command = {
  name: 'keys create',
  summary: 'Creates an API key and shows it; it cannot be shown again.',
  options: {
    user: userOption,
    name: { value: 'name', description: 'its purpose', required: true },
    scope: {
      value: 'list',
      description: `what it permits, such as read,write: some of ${scopes.join(', ')}; all by default`,
    },
    'expires-in': {
      value: 'days',
      description: `days until it expires, 1 to ${longestLifetime}; it does not expire by default`,
    },
    address: {
      value: 'list',
      description: 'addresses and ranges that may use it, such as 203.0.113.7,2001:db8::/32; any by default',
    },
  },
  async change({ database: { db } }, values) {
    const name = values['name'] ?? '';
    if (name.length > nameLimit) throw new UsageError(`--name must have at most ${nameLimit} characters.`);
    const { id: userId } = await findUser(db, values['user']);
    const { id, key } = await storeApiKey(db, userId, name, {
      scopes: readScopes(values['scope']),
      expiresInDays: readLifetime(values),
      allowedAddresses: readRanges(values['address']),
    });
    return {
      lines: [key],
      data: { id, key, name },
      changed: [{ userId, object: 'api-key', objectId: id }],
    };
  },
};

export const listKeysCommand: Command = {
  name: 'keys list',
  summary: "Lists a user's API keys, without their values.",
  options: { user: userOption },
  async run({ database: { db } }, values) {
    const { id } = await findUser(db, values['user']);
    const found = await listApiKeys(db, id);
    return {
      lines: table(
        ['id', 'name', 'created', 'last used', 'expires', 'replaced by', 'scopes', 'addresses'],
        found.map((key) => [
          key.id,
          key.name,
          key.created_at,
          key.last_used_at ?? 'never',
          key.expires_at ?? 'never',
          key.replaced_by ?? '',
          key.scopes.join(','),
          key.allowed_addresses.join(',') || 'any',
        ]),
      ),
      data: found,
    };
  },
};

export const revokeKeyCommand: Command = {
  name: 'keys revoke',
  summary: 'Revokes an API key: further requests with it are refused.',
  options: { id: { value: 'id', description: 'id of the key, from "keys list"', required: true } },
  async change({ database: { db } }, values) {
    const id = readId(values);
    const userId = await revokeApiKey(db, id);
    if (userId === undefined) throw noSuchKey(values);
    return {
      lines: [`Key ${id} is revoked.`],
      data: { id },
      changed: [{ userId, object: 'api-key', objectId: id }],
    };
  },
};

/** Longest overlap of a rotation, in hours, and the default. */
const overlap = { min: 0, max: 720, default: 24 };

export const rotateKeyCommand: Command = {
  name: 'keys rotate',
  summary:
    'Replaces an API key by another one with the same name and restrictions; both are valid for a while.',
  options: {
    id: { value: 'id', description: 'id of the key, from "keys list"', required: true },
    overlap: {
      value: 'hours',
      description: `how long the previous key stays valid, ${overlap.min} to ${overlap.max}; ${overlap.default} by default`,
    },
    'expires-in': {
      value: 'days',
      description: 'days until the new key expires; by default it is valid as long as the previous one was',
    },
  },
  async change({ database }, values) {
    const id = readId(values);
    const overlapHours = readNumber(values, 'overlap', 'hours', overlap) ?? overlap.default;
    const change = { overlapHours, expiresInDays: readLifetime(values) };
    const rotated = await rotateApiKey(database, id, change).catch((error: unknown) => {
      throw error instanceof KeyReplacedError ? new CommandError(error.message, { cause: error }) : error;
    });
    if (!rotated) throw noSuchKey(values);
    return {
      lines: [rotated.key, `Key ${id} is valid until ${rotated.previousExpiresAt}.`],
      data: { id: rotated.id, key: rotated.key, previous_expires_at: rotated.previousExpiresAt },
      changed: [id, rotated.id].map((objectId) => ({
        userId: rotated.userId,
        object: 'api-key' as const,
        objectId,
      })),
    };
  },
};

/** Returns 0, which no key has, if the option is not an id. */
const readId = ({ id = '' }: CommandValues) => (/^\d{1,9}$/.test(id) ? Number(id) : 0);

const noSuchKey = ({ id }: CommandValues) => new CommandError(`There is no key with the id "${id}".`);

const readLifetime = (values: CommandValues) =>
  readNumber(values, 'expires-in', 'days', { min: 1, max: longestLifetime });

/** @throws UsageError */
function readRanges(list: string | undefined): string[] | undefined {
  const given = readList(list, 'address');
  const invalid = given?.find((range) => parseAddressRange(range) === undefined);
  if (invalid === undefined) return given;
  throw new UsageError(
    `"${invalid}" is neither an address nor a range such as 203.0.113.0/24 or 2001:db8::/32.`,
  );
}

/** @throws UsageError */
function readScopes(list: string | undefined): Scope[] | undefined {
  const given = readList(list, 'scope');
  const unknown = given?.find((word) => !scopes.includes(word as Scope));
  if (unknown !== undefined) {
    throw new UsageError(`There is no scope "${unknown}". --scope is a list of ${scopes.join(', ')}.`);
  }
  return given && [...new Set(given as Scope[])];
}

/** @throws UsageError */
function readNumber(
  values: CommandValues,
  option: string,
  unit: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = values[option];
  if (given === undefined) return undefined;
  const number = /^\d{1,6}$/.test(given) ? Number(given) : NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${option} must be a number of ${unit} from ${min} to ${max}.`);
}

/** @throws UsageError if the list is empty, which must not mean "any" or "all". */
function readList(list: string | undefined, option: string): string[] | undefined {
  const items = list?.split(/[\s,]+/).filter((item) => item !== '');
  if (items?.length === 0) throw new UsageError(`--${option} must not be empty.`);
  return items;
}
