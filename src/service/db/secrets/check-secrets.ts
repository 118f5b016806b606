import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { OperatorError } from '../../operator-error.ts';
import type { Database } from '../database.ts';
import { nameOf } from './secret-box.ts';
import { sealedColumns } from './sealed-columns.ts';

/** Stored secrets are encrypted with a key that `SECRET_KEYS` does not contain. */
export class MissingSecretKeyError extends OperatorError {
  override readonly name = 'MissingSecretKeyError';
  constructor(missing: readonly StoredSecrets[]) {
    const ids = [...new Set(missing.map(({ keyId }) => keyId))];
    const places = missing.map(({ name, keyId, count }) => `${count} in ${name} with the key ${keyId}`);
    super(
      `SECRET_KEYS does not contain ${ids.length === 1 ? 'a key' : `${ids.length} keys`} that stored secrets are ` +
        `encrypted with: ${places.join(', ')}. Add the missing key at the end of SECRET_KEYS, after a comma. ` +
        `If it is lost, "secrets forget --key ${ids[0] ?? ''} --yes" removes what it encrypts.`,
    );
  }
}

interface StoredSecrets {
  /** Table and column. */
  name: string;
  /** Null for unencrypted values. */
  keyId: string | null;
  count: number;
}

/**
 * Checks that every stored secret can be decrypted with the given keys.
 *
 * @returns the number of unencrypted secrets.
 * @throws MissingSecretKeyError
 */
export async function checkSecrets({ db, secrets }: Pick<Database, 'db' | 'secrets'>): Promise<number> {
  const counts = sealedColumns.map(
    (sealed) => sql`SELECT ${nameOf(sealed)}::text AS name,
      CASE WHEN ${sealed.column} LIKE 'v1:%' THEN substr(${sealed.column}, 4, 8) END AS "keyId",
      count(*)::integer AS count FROM ${sealed.column.table} GROUP BY 2`,
  );
  const { rows } = await db.execute<StoredSecrets & Record<string, unknown>>(
    sql`${sql.join(counts, sql` UNION ALL `)} ORDER BY 1, 2`,
  );
  const ids = new Set<string | null>(secrets.keys.map(({ id }) => id));
  const missing = rows.filter(({ keyId }) => keyId !== null && !ids.has(keyId));
  if (missing.length > 0) throw new MissingSecretKeyError(missing);
  return rows.reduce((sum, { keyId, count }) => sum + (keyId === null ? count : 0), 0);
}

/** Like {@link checkSecrets}, and warns of unencrypted secrets in the log. */
export async function checkSecretsAtStart(database: Database, log: Logger): Promise<void> {
  const unencrypted = await checkSecrets(database);
  if (database.secrets.keys.length === 0) {
    // The embedded database of a first try needs no warning.
    log[database.kind === 'postgres' ? 'warn' : 'info'](
      'SECRET_KEYS is not set: header values of tools, webhook secrets and user token secrets are stored unencrypted',
    );
  } else if (unencrypted > 0) {
    log.warn(
      { unencrypted },
      'some secrets are still stored unencrypted; the command "secrets rotate" encrypts them',
    );
  }
}
