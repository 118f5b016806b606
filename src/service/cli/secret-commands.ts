import { rotateSecrets } from '../db/secrets/rotate-secrets.ts';
import type { Command } from './command.ts';

export const rotateSecretsCommand: Command = {
  name: 'secrets rotate',
  summary:
    'Encrypts all stored secrets with the first key of SECRET_KEYS. On PostgreSQL, the service can keep running.',
  options: {},
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
