import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key of `SECRET_KEYS`. */
export interface SecretKey {
  /** Identifies the key in stored values, without revealing it. */
  id: string;
  key: KeyObject;
}

const keyBytes = 32;

/**
 * Reads a comma-separated list of keys in base64 or base64url.
 *
 * @throws Error that names the invalid entry by its number, never by its value.
 */
export function readSecretKeys(list: string): SecretKey[] {
  return list.split(',').map((entry, index) => readKey(entry.trim(), index + 1));
}

function readKey(text: string, number: number): SecretKey {
  if (text === '') throw invalid(number, 'is empty');
  if (!/^[\w+/-]+={0,2}$/.test(text)) throw invalid(number, 'is not base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== keyBytes) throw invalid(number, `has ${bytes.length} bytes`);
  const id = createHmac('sha256', bytes).update('key id').digest('hex').slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}

const invalid = (number: number, problem: string) =>
  new Error(
    `must be keys of ${keyBytes} random bytes in base64 (create one with: openssl rand -base64 ${keyBytes}), ` +
      `separated by commas; entry ${number} ${problem}`,
  );
