import { createApiKey, listApiKeys, revokeApiKey } from '../api-key/api-key.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { findUser, userOption } from './find-user.ts';
import { table } from './table.ts';

/** Longest name of a key, in characters. */
const nameLimit = 255;

export const createKeyCommand: Command = {
  name: 'keys create',
  summary: 'Creates an API key and shows it; it cannot be shown again.',
  options: { user: userOption, name: { value: 'name', description: 'its purpose', required: true } },
  async run({ database: { db } }, values) {
    const name = values['name'] ?? '';
    if (name.length > nameLimit) throw new UsageError(`--name must have at most ${nameLimit} characters.`);
    const { id } = await findUser(db, values['user']);
    const key = await createApiKey(db, id, name);
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
        ['id', 'name', 'created', 'last used'],
        found.map((key) => [key.id, key.name, key.created_at, key.last_used_at ?? 'never']),
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
