import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { getTableName, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Sealed } from '../columns.ts';
import type { SecretKey } from './secret-keys.ts';

/**
 * A column whose values are encrypted. Each value is bound to its table, its column and the row's owner, so that a
 * value that was copied to another owner's row cannot be decrypted.
 */
export interface SealedColumn<Value = unknown> {
  column: PgColumn;
  /** The column with the owner's id. */
  owner: PgColumn;
  /** The primary key. */
  id: PgColumn;
  /** The type of the values; not present at run time. */
  value?: Value;
}

/** A stored secret cannot be decrypted. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The stored form of a value without encryption. */
const plainPrefix = 'plain:';
const sealedForm = /^v1:([0-9a-f]{8}):([A-Za-z0-9+/=]+)$/;

/**
 * Encrypts and decrypts stored secrets: the first key encrypts, all keys decrypt. Without keys, values are stored
 * unencrypted. The stored forms are `v1:<key id>:<base64 of nonce, tag and ciphertext>` and `plain:<JSON>`.
 */
export class SecretBox {
  readonly keys: readonly SecretKey[];

  constructor(keys: readonly SecretKey[]) {
    this.keys = keys;
  }

  /** Returns the value to store in a row of the owner. */
  seal<Value>(sealed: SealedColumn<Value>, owner: number, value: Value): Sealed {
    const json = JSON.stringify(value);
    const [first] = this.keys;
    if (!first) return `${plainPrefix}${json}` as Sealed;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, first.key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(bindingOf(sealed, owner));
    const encrypted = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
    return `v1:${first.id}:${bytes.toString('base64')}` as Sealed;
  }

  /** Selects a column's decrypted values. */
  select<Value>(sealed: SealedColumn<Value>): SQL<Value> {
    return sql<Value>`${sealed.owner}::text || ' ' || ${sealed.column}`.mapWith((row: string) => {
      const separator = row.indexOf(' ');
      return this.#open(sealed, Number(row.slice(0, separator)), row.slice(separator + 1));
    });
  }

  /** @throws SecretError */
  #open<Value>(sealed: SealedColumn<Value>, owner: number, stored: string): Value {
    const place = `${nameOf(sealed)} of the owner ${owner}`;
    if (stored.startsWith(plainPrefix)) {
      try {
        return JSON.parse(stored.slice(plainPrefix.length)) as Value;
      } catch {
        // Without the cause, which quotes the value.
        throw new SecretError(`The value of ${place} is not "plain:" and JSON. Set it again.`);
      }
    }
    const [, id, base64 = ''] = sealedForm.exec(stored) ?? [];
    const found = this.keys.find((key) => key.id === id);
    if (!found)
      throw new SecretError(`SECRET_KEYS does not contain the key ${id ?? '?'}, which encrypts ${place}.`);
    const bytes = Buffer.from(base64, 'base64');
    try {
      const nonce = bytes.subarray(0, nonceBytes);
      const decipher = createDecipheriv(algorithm, found.key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(bindingOf(sealed, owner));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const json = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return JSON.parse(json.toString('utf8')) as Value;
    } catch (cause) {
      throw new SecretError(`The value of ${place} was changed, or copied from another row. Set it again.`, {
        cause,
      });
    }
  }
}

/** Returns a column's name with that of its table. */
export const nameOf = ({ column }: SealedColumn) => `${getTableName(column.table)}.${column.name}`;

const bindingOf = (sealed: SealedColumn, owner: number) => Buffer.from(`${nameOf(sealed)} ${owner}`);
