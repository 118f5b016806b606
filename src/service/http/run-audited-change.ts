import type { Context } from 'hono';
import { recordChange } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { boundTo } from '../db/transactions.ts';
import type { Authenticated } from './bearer-auth.ts';

/**
 * Runs the work of an operation in one transaction, together with its entry in the audit log: a refused or failed
 * change leaves none.
 *
 * @param work gets the database bound to the transaction; on any other connection it would wait for itself.
 * @param findId returns the id of the changed record, or `unchanged` if nothing had to be changed.
 */
export async function runAuditedChange<Answer>(
  c: Context<Authenticated>,
  work: (database: Database) => Promise<Answer>,
  findId: (answer: Answer) => string | number | null | typeof unchanged = () => idInPath(c),
): Promise<Answer> {
  const { user, database, address, operation } = c.var;
  const { changes, name } = operation;
  if (changes == null) return work(database);
  return database.transaction(async (tx) => {
    const answer = await work(boundTo(database, tx));
    const objectId = findId(answer);
    if (objectId !== unchanged) {
      await recordChange(tx, {
        userId: user.id,
        actor: { type: 'api-key', keyId: user.keyId, keyName: user.keyName, address },
        operation: name,
        object: changes,
        objectId,
      });
    }
    return answer;
  });
}

/** The request found everything as it should be, for example because it repeats an earlier one. */
export const unchanged = Symbol('unchanged');

/**
 * Returns the id of the changed record if the request's path has it, in its usual form. The path of a new record has at
 * most the id of the record that contains it.
 */
export function idInPath(c: Context<Authenticated>): string | null {
  const given = c.req.param() as Record<string, string | undefined>;
  const { changes } = c.var.operation;
  const id = given[`${changes ?? ''}Id`] ?? given['id'] ?? given['uuid'];
  if (id === undefined) return null;
  return /^\d+$/.test(id) ? String(Number(id)) : id.toLowerCase();
}
