import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { knowledgebases } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';

/** A knowledge base and the user who requests it. */
export interface OwnedKnowledgebase {
  id: number;
  userId: number;
}

const isOwned = ({ id, userId }: OwnedKnowledgebase) =>
  and(eq(knowledgebases.id, id), eq(knowledgebases.userId, userId));

const labels = { empty: 'Empty', processing: 'Processing', active: 'Active' } as const;

/** The name and description of a request; `null` is no description. */
export interface KnowledgeTexts {
  name?: string | undefined;
  description?: string | null | undefined;
}

/** The texts as columns; absent ones are not changed. */
export const textColumns = ({ name, description }: KnowledgeTexts) => ({
  // As the texts of documents are searched (`normalize-text.ts`).
  ...(name === undefined ? {} : { name: name.normalize('NFC') }),
  ...(description === undefined ? {} : { description: description ?? '' }),
});

/** Selects knowledge bases, oldest first (interface: "Knowledge base"). */
async function select(queries: Queries, where: ReturnType<typeof and>) {
  const rows = await queries
    .select({
      id: knowledgebases.id,
      name: knowledgebases.name,
      description: knowledgebases.description,
      status: knowledgebases.status,
      documents_count: sql<number>`(SELECT count(*)::integer FROM documents
        WHERE documents.knowledgebase_id = knowledgebases.id)`,
      assistants_count: sql<number>`(SELECT count(*)::integer FROM assistants
        WHERE assistants.knowledgebase_id = knowledgebases.id AND assistants.deleted_at IS NULL)`,
      created_at: wireTimestamp(knowledgebases.createdAt),
      updated_at: wireTimestamp(knowledgebases.updatedAt),
    })
    .from(knowledgebases)
    .where(where)
    .orderBy(asc(knowledgebases.id));
  return rows.map(({ id, name, description, status, ...rest }) => ({
    id,
    name,
    description,
    status,
    status_label: labels[status],
    ...rest,
  }));
}

export const listKnowledgebases = ({ db }: Database, userId: number) =>
  select(db, eq(knowledgebases.userId, userId));

/** @throws Refusal if there is no such knowledge base. */
export async function readKnowledgebase({ db }: { db: Queries }, owned: OwnedKnowledgebase) {
  const [found] = await select(db, isOwned(owned));
  return found ?? notFound();
}

export async function createKnowledgebase({ db }: { db: Queries }, userId: number, texts: KnowledgeTexts) {
  const [created] = await db
    .insert(knowledgebases)
    .values({ name: '', ...textColumns(texts), userId })
    .returning({ id: knowledgebases.id });
  return readKnowledgebase({ db }, { id: created?.id ?? 0, userId });
}

/** @throws Refusal if there is no such knowledge base. */
export async function updateKnowledgebase(
  database: Database,
  owned: OwnedKnowledgebase,
  texts: KnowledgeTexts,
) {
  await database.db
    .update(knowledgebases)
    .set({ ...textColumns(texts), updatedAt: sql`now()` })
    .where(isOwned(owned));
  return readKnowledgebase(database, owned);
}

/**
 * Deletes a knowledge base with its documents; its assistants continue without one.
 *
 * @throws Refusal if there is no such knowledge base.
 */
export async function deleteKnowledgebase({ db }: Database, owned: OwnedKnowledgebase): Promise<void> {
  const deleted = await db.delete(knowledgebases).where(isOwned(owned)).returning({ id: knowledgebases.id });
  if (deleted.length === 0) notFound();
}

/**
 * Locks a knowledge base, so that changes of its documents and its status are serialized.
 *
 * @throws Refusal if there is no such knowledge base.
 */
export async function lockKnowledgebase(queries: Queries, owned: OwnedKnowledgebase) {
  const [found] = await queries
    .select({ id: knowledgebases.id, config: knowledgebases.textSearchConfig })
    .from(knowledgebases)
    .where(isOwned(owned))
    .for('no key update');
  return found ?? notFound();
}

function notFound(): never {
  throw Refusal.notFoundError('Knowledge base');
}
