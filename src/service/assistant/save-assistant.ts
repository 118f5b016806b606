import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { findRuleViolations } from '../../contract/assistant.ts';
import type { RuleViolations } from '../../contract/assistant.ts';
import type { Database, Queries } from '../db/database.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';
import { assistants } from '../db/schema.ts';
import { fromWire, wireColumns } from '../db/wire-columns.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';
import { afterChanges, changesOf } from './assistant-fields.ts';
import type { AssistantRow, GivenFields } from './assistant-fields.ts';
import { checkReferences } from './check-references.ts';
import { chooseProviders } from './choose-providers.ts';

/** What the answer to creating and updating tells. */
const saved = {
  id: assistants.id,
  uuid: assistants.uuid,
  name: assistants.name,
  status: assistants.status,
  type: assistants.type,
  mode: assistants.mode,
};

/** What is wrong with the fields that a new assistant is given. */
export async function checkNewAssistant(
  { db }: Database,
  userId: number,
  given: GivenFields,
): Promise<FieldErrors> {
  return check(db, userId, undefined, given);
}

/** Stores an assistant, inactive as every new one. Its fields have been checked. */
export async function createAssistant({ db }: Database, userId: number, given: GivenFields) {
  return db.transaction(async (tx) => {
    const changes = await chooseProviders(tx, undefined, changesOf(undefined, given));
    const values = { ...fromWire(assistants, changes), uuid: randomUUID(), userId };
    const [created] = await tx
      .insert(assistants)
      .values(values as typeof assistants.$inferInsert)
      .returning(saved)
      .catch(refuseTakenNumber);
    return created;
  });
}

/**
 * What is wrong with the changes of an assistant.
 *
 * @throws Refusal if there is no such assistant.
 */
export async function checkAssistantChanges(
  { db }: Database,
  owned: OwnedAssistant,
  given: GivenFields,
): Promise<FieldErrors> {
  return check(db, owned.userId, await readOwned(db, owned), given);
}

/**
 * Changes the given fields of an assistant.
 *
 * @throws Refusal
 */
export async function updateAssistant({ db }: Database, owned: OwnedAssistant, given: GivenFields) {
  return db.transaction(async (tx) => {
    const before = await readOwned(tx, owned, true);
    // Another request may have changed the rest since the rules were checked.
    const errors = await check(tx, owned.userId, before, given);
    if (Object.keys(errors).length > 0) throw Refusal.invalid(errors);
    const changes = await chooseProviders(tx, before, changesOf(before, given));
    const [updated] = await tx
      .update(assistants)
      .set({ ...fromWire(assistants, changes), updatedAt: sql`now()` })
      .where(eq(assistants.id, owned.id))
      .returning(saved)
      .catch(refuseTakenNumber);
    return updated;
  });
}

/** An assistant and the user who asks for it. */
export interface OwnedAssistant {
  id: number;
  userId: number;
}

/** The condition that an assistant is there and the user's. */
export const isOwned = ({ id, userId }: OwnedAssistant) =>
  and(eq(assistants.id, id), eq(assistants.userId, userId), isNull(assistants.deletedAt));

async function readOwned(queries: Queries, owned: OwnedAssistant, lock = false): Promise<AssistantRow> {
  const query = queries.select(wireColumns(assistants)).from(assistants).where(isOwned(owned));
  const [found] = await (lock ? query.for('no key update') : query);
  if (!found) throw Refusal.notFound('Assistant');
  return found;
}

async function check(
  queries: Queries,
  userId: number,
  before: AssistantRow | undefined,
  given: GivenFields,
): Promise<FieldErrors> {
  const changes = changesOf(before, given);
  const after = afterChanges(before, changes);
  const choosesHybrid = changes.knowledgebase_mode === 'hybrid' && before?.knowledgebase_mode !== 'hybrid';
  const broken: RuleViolations = {
    ...(choosesHybrid && { knowledgebase_mode: 'selected is invalid.' }),
    ...(await checkReferences(queries, userId, after, changes)),
    ...findRuleViolations(after),
  };
  return Object.fromEntries(
    Object.entries(broken).map(([field, rest = '']) => [field, [sentence(field, rest)]]),
  );
}

/** Two requests that take a number at once both find it free; the index of the table lets one through. */
function refuseTakenNumber(error: unknown): never {
  if (!isUniqueViolation(error, 'assistants_one_inbound_a_number')) throw error;
  const field = 'phone_number_id';
  throw Refusal.invalidField(field, sentence(field, 'must not be assigned to another inbound assistant.'), {
    cause: error,
  });
}
