import { scopes } from '../../contract/operations.ts';
import type { Scope } from '../../contract/operations.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../api-key/api-key.ts';
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
  },
  async run({ database: { db } }, values) {
    const name = values['name'] ?? '';
    if (name.length > nameLimit) throw new UsageError(`--name must have at most ${nameLimit} characters.`);
    const { id } = await findUser(db, values['user']);
    const key = await createApiKey(db, id, name, {
      scopes: readScopes(values['scope']),
      expiresInDays: readNumber(values, 'expires-in', 'days', { min: 1, max: longestLifetime }),
    });
    return { lines: [key], data: { key, name } };
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
        ['id', 'name', 'created', 'last used', 'expires', 'scopes'],
        found.map((key) => [
          key.id,
          key.name,
          key.created_at,
          key.last_used_at ?? 'never',
          key.expires_at ?? 'never',
          key.scopes.join(','),
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
  async run({ database: { db } }, values) {
    const given = values['id'] ?? '';
    const revoked = /^\d{1,9}$/.test(given) && (await revokeApiKey(db, Number(given)));
    if (!revoked) throw new CommandError(`There is no key with the id "${given}".`);
    return { lines: [`Key ${given} is revoked.`], data: { id: Number(given) } };
  },
};

/** @throws UsageError */
function readScopes(list: string | undefined): Scope[] | undefined {
  const given = list?.split(/[\s,]+/).filter((word) => word !== '');
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
