import { and, desc, eq, gte, lte, sql } from 'drizzle-orm';
import type { SQLWrapper } from 'drizzle-orm';
import type { Logger } from 'pino';
import { today } from '../db/database-time.ts';
import type { Database } from '../db/database.ts';
import type { Days } from '../db/is-on-days.ts';
import { assistants, modelUsage } from '../db/schema.ts';
import type { ModelUsage } from '../engine/engine.ts';

/** Returns a function that adds usage to its assistant's day. The function never throws. */
export function createUsageRecorder({ db }: Database, log: Logger): (usage: ModelUsage) => Promise<void> {
  return async ({ assistant, purpose, model, inputTokens, outputTokens, seconds = 0, cost }) => {
    try {
      await db
        .insert(modelUsage)
        .values({
          assistantId: sql`(SELECT id FROM assistants WHERE uuid = ${assistant})`,
          day: today,
          model,
          replies: Number(purpose === 'reply'),
          evaluations: Number(purpose === 'evaluation'),
          transcriptions: Number(purpose === 'transcription'),
          transcribedSeconds: seconds,
          inputTokens,
          outputTokens,
          cost: String(cost ?? 0),
          hasUnknownCost: cost === undefined,
        })
        .onConflictDoUpdate({
          target: [modelUsage.assistantId, modelUsage.day, modelUsage.model],
          set: {
            replies: sql`${modelUsage.replies} + excluded.replies`,
            evaluations: sql`${modelUsage.evaluations} + excluded.evaluations`,
            transcriptions: sql`${modelUsage.transcriptions} + excluded.transcriptions`,
            transcribedSeconds: sql`${modelUsage.transcribedSeconds} + excluded.transcribed_seconds`,
            inputTokens: sql`${modelUsage.inputTokens} + excluded.input_tokens`,
            outputTokens: sql`${modelUsage.outputTokens} + excluded.output_tokens`,
            cost: sql`${modelUsage.cost} + excluded.cost`,
            hasUnknownCost: sql`${modelUsage.hasUnknownCost} OR excluded.has_unknown_cost`,
          },
        });
    } catch (error) {
      log.error({ err: error }, 'the tokens of a model could not be stored');
    }
  };
}

/** Reads what each of a user's assistants, deleted ones included, used of each model; the most output tokens first. */
export async function readModelUsage(
  { db }: Database,
  userId: number,
  { date_from: from, date_to: to }: Days,
) {
  const sum = (column: SQLWrapper) => sql<number>`sum(${column})::float`;
  return db
    .select({
      assistant_id: assistants.uuid,
      assistant_name: assistants.name,
      model: modelUsage.model,
      replies: sum(modelUsage.replies),
      evaluations: sum(modelUsage.evaluations),
      transcriptions: sum(modelUsage.transcriptions),
      transcribed_seconds: sum(modelUsage.transcribedSeconds),
      input_tokens: sum(modelUsage.inputTokens),
      output_tokens: sum(modelUsage.outputTokens),
      cost: sql<number | null>`CASE WHEN NOT bool_or(${modelUsage.hasUnknownCost})
        THEN sum(${modelUsage.cost})::float END`,
    })
    .from(modelUsage)
    .innerJoin(assistants, eq(assistants.id, modelUsage.assistantId))
    .where(
      and(
        eq(assistants.userId, userId),
        from === undefined ? undefined : gte(modelUsage.day, from),
        to === undefined ? undefined : lte(modelUsage.day, to),
      ),
    )
    .groupBy(assistants.id, modelUsage.model)
    .orderBy(desc(sum(modelUsage.outputTokens)), assistants.id, modelUsage.model);
}
