import { and, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { engineContextColumns } from '../assistant/engine-context.ts';
import { readEntries } from '../conversation/history.ts';
import type { StoredEntry } from '../conversation/history.ts';
import { latestProblems } from '../conversation/latest-problems.ts';
import type { Database } from '../db/database.ts';
import { assistants, conversations, languages, messages } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { conversationPayload } from '../webhook/conversation-payload.ts';
import type { TranscriptMessage } from '../webhook/conversation-payload.ts';
import { createDelivery } from '../webhook/create-delivery.ts';
import { evaluateAndStore } from './evaluate-and-store.ts';
import type { EvaluationDependencies } from './evaluate-and-store.ts';

/** Number of the latest messages that the evaluation and the webhook include. */
const messageLimit = 1000;

/** Milliseconds until an ended conversation is looked at again whose last reply is still being written. */
const replyPauseMs = 5000;

/**
 * Handles the end of a chat: evaluates it, then creates the webhook. A conversation may be resumed and end again; each
 * end is handled once. Conversations without a visitor message are skipped. Conversations of type `test`, which anyone
 * can open, are skipped unless they were opened with a preview token.
 */
export async function handleConversationEnded(
  dependencies: EvaluationDependencies,
  job: { conversationId: number },
  signal: AbortSignal,
  retryCount: number,
): Promise<void> {
  const { database, jobs } = dependencies;
  const found = await readEnded(database, job.conversationId);
  if (!found) return;
  if (found.isReplying) {
    await jobs.send('conversation-ended', job, { startAfter: replyPauseMs });
    return;
  }
  const { assistant, conversation } = found;
  const transcript = (await readEntries(database.db, conversation.id, { limit: messageLimit })).filter(
    isSpoken,
  );
  const isTrusted = conversation.type === 'widget' || conversation.isPreview;
  const isHandled = isTrusted && transcript.some(({ role }) => role === 'user');
  const ended = {
    transcript,
    language: found.language,
    model: found.toolModel ?? found.model,
    ...assistant,
    postCallEvaluation: assistant.postCallEvaluation && isHandled,
  };
  await evaluateAndStore(dependencies, ended, { retryCount, signal }, (evaluated) =>
    database.db.transaction(async (tx) => {
      const updated = await tx
        .update(conversations)
        .set({
          evaluation: evaluated?.evaluation ?? null,
          extractedVariables: evaluated?.variables ?? null,
          endHandledUntil: conversation.updatedAt,
        })
        .where(and(eq(conversations.id, conversation.id), isUnhandled(conversation.updatedAt)))
        .returning({ id: conversations.id });
      const url = assistant.conversationEndedWebhookUrl;
      if (updated.length === 0 || url === null || !isHandled) return;
      await createDelivery(tx, jobs, {
        userId: assistant.userId,
        assistantId: assistant.id,
        conversationId: conversation.id,
        event: 'conversation-ended',
        url,
        payload: conversationPayload({
          id: conversation.id,
          uuid: conversation.uuid,
          type: conversation.type,
          assistantUuid: assistant.uuid,
          timezone: assistant.timezone,
          inputVariables: conversation.variables,
          extractedVariables: evaluated?.variables ?? {},
          messages: transcript,
          problems: found.problems,
          createdAt: found.createdAt,
          endedAt: found.endedAt,
        }),
      });
    }),
  );
}

const isUnhandled = (until: string) =>
  or(isNull(conversations.endHandledUntil), lt(conversations.endHandledUntil, until));

/** Reads a conversation whose end has not been handled, and which has not been resumed: the next end sends its own job. */
async function readEnded({ db }: Database, conversationId: number) {
  const [found] = await db
    .select({
      conversation: conversations,
      ...engineContextColumns,
      assistant: assistants,
      problems: latestProblems,
      // An assistant can end a conversation before it has answered the messages after that.
      isReplying: sql<boolean>`EXISTS (SELECT 1 FROM ${messages}
        WHERE ${messages.conversationId} = ${conversations.id} AND ${messages.replyState} = 'pending')`,
      createdAt: wireTimestamp(conversations.createdAt),
      endedAt: wireTimestamp(conversations.endedAt),
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(
      and(
        eq(conversations.id, conversationId),
        isNotNull(conversations.endedAt),
        or(isNull(conversations.endHandledUntil), lt(conversations.endHandledUntil, conversations.updatedAt)),
      ),
    );
  return found;
}

/** Excludes system events and replies that were stopped before their first word. */
const isSpoken = (line: StoredEntry): line is StoredEntry & TranscriptMessage =>
  line.role !== 'system' && line.content.trim() !== '';
