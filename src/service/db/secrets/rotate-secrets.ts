import { and, asc, gt, notLike, sql } from 'drizzle-orm';
import { OperatorError } from '../../operator-error.ts';
import type { Database } from '../database.ts';
import { checkSecrets } from './check-secrets.ts';
import { nameOf } from './secret-box.ts';
import type { SecretBox, SealedColumn } from './secret-box.ts';
import { sealedColumns } from './sealed-columns.ts';

/** The result of a rotation. */
export interface Rotation {
  /** The id of the first key. */
  key: string;
  /** The number of re-encrypted values by table and column. */
  rotated: Record<string, number>;
}

/**
 * Encrypts all stored secrets with the first key that are unencrypted or encrypted with another one. Rows are locked
 * in small batches, so the service can run meanwhile, and an interrupted rotation can be repeated.
 *
 * @throws OperatorError if there is no key, or one is missing.
 */
export async function rotateSecrets(database: Database, batchSize = 100): Promise<Rotation> {
  const [first] = database.secrets.keys;
  if (!first) throw new OperatorError('SECRET_KEYS is not set. Its first key encrypts the secrets.');
  await checkSecrets(database);
  const rotated: Rotation['rotated'] = {};
  for (const sealed of sealedColumns) {
    let count = 0;
    for (let last = 0; ;) {
      const ids = await rotateBatch(database, sealed, first.id, { after: last, size: batchSize });
      count += ids.length;
      last = ids.at(-1) ?? last;
      if (ids.length < batchSize) break;
    }
    rotated[nameOf(sealed)] = count;
  }
  return { key: first.id, rotated };
}

/** @returns the ids of the re-encrypted rows. */
async function rotateBatch(
  { db, secrets }: { db: Database['db']; secrets: SecretBox },
  sealed: SealedColumn,
  key: string,
  { after, size }: { after: number; size: number },
): Promise<number[]> {
  const { column, owner, id } = sealed;
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: sql<number>`${id}`, owner: sql<number>`${owner}`, value: secrets.select(sealed) })
      .from(column.table)
      .where(and(gt(id, after), notLike(column, `v1:${key}:%`)))
      .orderBy(asc(id))
      .limit(size)
      .for('no key update');
    if (rows.length === 0) return [];
    const values = rows.map(
      (row) => sql`(${row.id}::integer, ${secrets.seal(sealed, row.owner, row.value)}::text)`,
    );
    await tx.execute(sql`
      UPDATE ${column.table} SET ${sql.identifier(column.name)} = sealed.value
      FROM (VALUES ${sql.join(values, sql`, `)}) AS sealed (id, value) WHERE ${id} = sealed.id`);
    return rows.map((row) => row.id);
  });
}
