import { forgetSecrets } from '../db/secrets/forget-secrets.ts';
import { rotateSecrets } from '../db/secrets/rotate-secrets.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command } from './command.ts';

export const rotateSecretsCommand: Command = {
  name: 'secrets rotate',
  summary: 'Encrypts all stored secrets with the first key of SECRET_KEYS. The service can keep running.',
  options: {},
  usesSecretKeys: true,
  async run({ database }) {
    const { key, rotated } = await rotateSecrets(database);
    return {
      lines: [
        ...Object.entries(rotated).map(([column, count]) => `${column}: ${count} re-encrypted`),
        `All secrets are encrypted with the key ${key}.`,
      ],
      data: { key, rotated },
    };
  },
};

export const forgetSecretsCommand: Command = {
  name: 'secrets forget',
  summary: 'Removes the secrets that are encrypted with a lost key, so that the service starts again.',
  options: {
    key: { value: 'id', description: 'id of the lost key, which the error names', required: true },
    yes: { description: 'confirms the removal, which cannot be undone', required: true },
  },
  usesSecretKeys: true,
  async run({ database }, { key = '' }) {
    if (!/^[0-9a-f]{8}$/.test(key)) throw new UsageError('The id of a key has eight hexadecimal digits.');
    if (database.secrets.keys.some(({ id }) => id === key))
      throw new CommandError(`SECRET_KEYS contains the key ${key}, so it is not lost. Nothing was removed.`);
    const removed = await forgetSecrets(database, key);
    return {
      lines: Object.entries(removed).map(([column, count]) => `${column}: ${count} removed`),
      data: { key, removed },
    };
  },
};
