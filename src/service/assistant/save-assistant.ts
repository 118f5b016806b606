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
import { enableUrls } from '../webhook-url/disable-failing-url.ts';
import { applyChanges, resolveChanges } from './assistant-fields.ts';
import type { AssistantRow, GivenFields } from './assistant-fields.ts';
import { checkReferences } from './check-references.ts';
import { chooseProviders } from './choose-providers.ts';

/** The fields in the response of creating and updating. */
const saved = {
  id: assistants.id,
  uuid: assistants.uuid,
  name: assistants.name,
  status: assistants.status,
  type: assistants.type,
  mode: assistants.mode,
};

/** Validates a new assistant against the database and the rules between fields. */
export async function checkNewAssistant(
  { db }: Database,
  userId: number,
  given: GivenFields,
): Promise<FieldErrors> {
  return check(db, userId, undefined, given);
}

/** Creates an inactive assistant. Its fields must have been validated. */
export async function createAssistant({ db }: Database, userId: number, given: GivenFields) {
  return db.transaction(async (tx) => {
    const changes = await chooseProviders(tx, undefined, resolveChanges(undefined, given));
    const values = { ...fromWire(assistants, changes), uuid: randomUUID(), userId };
    const [created] = await tx
      .insert(assistants)
      .values(values as typeof assistants.$inferInsert)
      .returning(saved)
      .catch(refuseTakenNumber);
    await enableUrls(tx, userId, webhookUrlsIn(given));
    return created;
  });
}

/**
 * Validates the changes of an assistant against the database and the rules between fields.
 *
 * @throws Refusal if the assistant does not exist.
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
 * @throws Refusal if the assistant does not exist or the changes are invalid.
 */
export async function updateAssistant({ db }: Database, owned: OwnedAssistant, given: GivenFields) {
  return db.transaction(async (tx) => {
    const before = await readOwned(tx, owned, 'no key update');
    // Validates again, since another request may have changed the assistant in the meantime.
    const errors = await check(tx, owned.userId, before, given);
    if (Object.keys(errors).length > 0) throw Refusal.invalid(errors);
    const changes = await chooseProviders(tx, before, resolveChanges(before, given));
    const [updated] = await tx
      .update(assistants)
      .set({ ...fromWire(assistants, changes), updatedAt: sql`now()` })
      .where(eq(assistants.id, owned.id))
      .returning(saved)
      .catch(refuseTakenNumber);
    await enableUrls(tx, owned.userId, webhookUrlsIn(given));
    const timeout = changes.conversation_inactivity_timeout;
    if (timeout != null && timeout < before.conversation_inactivity_timeout) {
      await checkOpenConversations(tx, owned.id);
    }
    return updated;
  });
}

/** Has housekeeping check which conversations have been inactive for longer than a shortened timeout. */
async function checkOpenConversations(tx: Queries, assistantId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE conversations SET inactivity_check_at = now() WHERE id IN (
      SELECT id FROM conversations WHERE assistant_id = ${assistantId} AND ended_at IS NULL
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`);
}

const webhookUrlsIn = (given: GivenFields) => [
  given.webhook_url,
  given.conversation_ended_webhook_url,
  given.usage_webhook_url,
  given.handoff_webhook_url,
];

/** An assistant's id with the user who must own the assistant. */
export interface OwnedAssistant {
  id: number;
  userId: number;
}

/** Matches the user's assistant unless it is deleted. */
export const isOwned = ({ id, userId }: OwnedAssistant) =>
  and(eq(assistants.id, id), eq(assistants.userId, userId), isNull(assistants.deletedAt));

async function readOwned(
  queries: Queries,
  owned: OwnedAssistant,
  lock?: 'no key update',
): Promise<AssistantRow> {
  const query = queries.select(wireColumns(assistants)).from(assistants).where(isOwned(owned));
  const [found] = await (lock ? query.for(lock) : query);
  if (!found) throw Refusal.notFound('Assistant');
  return found;
}

async function check(
  queries: Queries,
  userId: number,
  before: AssistantRow | undefined,
  given: GivenFields,
): Promise<FieldErrors> {
  const changes = resolveChanges(before, given);
  const after = applyChanges(before, changes);
  const setsHybrid = changes.knowledgebase_mode === 'hybrid' && before?.knowledgebase_mode !== 'hybrid';
  const violations: RuleViolations = {
    ...(setsHybrid && { knowledgebase_mode: 'selected is invalid.' }),
    ...(await checkReferences(queries, userId, after, changes)),
    ...findRuleViolations(after),
  };
  return Object.fromEntries(
    Object.entries(violations).map(([field, rest = '']) => [field, [sentence(field, rest)]]),
  );
}

/** The unique index lets one of two simultaneous requests for a number through. */
function refuseTakenNumber(error: unknown): never {
  if (!isUniqueViolation(error, 'assistants_one_inbound_a_number')) throw error;
  const field = 'phone_number_id';
  throw Refusal.invalidField(field, sentence(field, 'must not be assigned to another inbound assistant.'), {
    cause: error,
  });
}
