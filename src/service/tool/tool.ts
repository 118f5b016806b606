import { and, asc, eq, sql } from 'drizzle-orm';
import type * as z from 'zod/mini';
import type { CreateToolRequest, UpdateToolRequest } from '../../contract/tool.ts';
import type { Database } from '../db/database.ts';
import type { SecretBox } from '../db/secrets/secret-box.ts';
import { toolHeaders } from '../db/secrets/sealed-columns.ts';
import { tools } from '../db/tools-table.ts';
import { fromWire, wireColumns } from '../db/wire-columns.ts';
import { Refusal } from '../lib/refusal.ts';

/** A tool's id with the user who must own the tool. */
interface OwnedTool {
  id: number;
  userId: number;
}

const isOwned = ({ id, userId }: OwnedTool) => and(eq(tools.id, id), eq(tools.userId, userId));

const record = (secrets: SecretBox) => ({
  ...wireColumns(tools, ['user_id', 'headers']),
  headers: secrets.select(toolHeaders),
});

/** Lists the tools of a user, oldest first. */
export const listTools = ({ db, secrets }: Database, userId: number) =>
  db.select(record(secrets)).from(tools).where(eq(tools.userId, userId)).orderBy(asc(tools.id));

/** @throws Refusal if the tool does not exist. */
export async function requireTool({ db }: Pick<Database, 'db'>, owned: OwnedTool): Promise<void> {
  const [found] = await db.select({ id: tools.id }).from(tools).where(isOwned(owned));
  if (!found) notFound();
}

/** @throws Refusal if the tool does not exist. */
export async function readTool({ db, secrets }: Database, owned: OwnedTool) {
  const [found] = await db.select(record(secrets)).from(tools).where(isOwned(owned));
  return found ?? notFound();
}

/** Creates a tool. Its fields must have been validated. */
export async function createTool(
  { db, secrets }: Database,
  userId: number,
  { headers, ...given }: z.infer<typeof CreateToolRequest>,
) {
  const sealed = secrets.seal(toolHeaders, userId, headers ?? []);
  const values = { ...fromWire(tools, given), headers: sealed, userId } as typeof tools.$inferInsert;
  const [created] = await db.insert(tools).values(values).returning(record(secrets));
  return created;
}

/**
 * Changes the given fields of a tool.
 *
 * @throws Refusal if the tool does not exist.
 */
export async function updateTool(
  { db, secrets }: Database,
  owned: OwnedTool,
  { headers, ...given }: z.infer<typeof UpdateToolRequest>,
) {
  const sealed =
    headers === undefined ? {} : { headers: secrets.seal(toolHeaders, owned.userId, headers ?? []) };
  const [updated] = await db
    .update(tools)
    .set({ ...fromWire(tools, given), ...sealed, updatedAt: sql`now()` })
    .where(isOwned(owned))
    .returning(record(secrets));
  return updated ?? notFound();
}

/**
 * Deletes a tool and removes it from its assistants.
 *
 * @throws Refusal if the tool does not exist.
 */
export async function deleteTool({ db }: Database, owned: OwnedTool): Promise<void> {
  await db.transaction(async (tx) => {
    const deleted = await tx.delete(tools).where(isOwned(owned)).returning({ id: tools.id });
    if (deleted.length === 0) notFound();
    await tx.execute(sql`
      UPDATE assistants SET tool_ids = array_remove(tool_ids, ${owned.id}::integer)
      WHERE user_id = ${owned.userId} AND ${owned.id}::integer = ANY (tool_ids)`);
  });
}

function notFound(): never {
  throw Refusal.notFound('Tool');
}
