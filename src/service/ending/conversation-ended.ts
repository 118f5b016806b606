import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { engineContextColumns } from '../assistant/engine-context.ts';
import { readLines } from '../conversation/history.ts';
import type { StoredLine } from '../conversation/history.ts';
import type { Database } from '../db/database.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { conversationPayload } from '../webhook/conversation-payload.ts';
import type { SaidLine } from '../webhook/conversation-payload.ts';
import { createDelivery } from '../webhook/create-delivery.ts';
import { evaluateAndStore } from './ended-parts.ts';
import type { EndedParts } from './ended-parts.ts';

/** Lines that an evaluation looks at and a webhook carries: the latest ones. */
const lineLimit = 1000;

/**
 * Does what the end of a chat asks for: an evaluation, then the webhook. A conversation may go on and end again; each
 * end is handled once, however often its job runs. Where the visitor said nothing there was no chat.
 */
export async function conversationEnded(
  parts: EndedParts,
  job: { conversationId: number; attempt?: number },
  signal: AbortSignal,
  isLastTry = false,
): Promise<void> {
  const { database, jobs } = parts;
  const found = await readEnded(database, job.conversationId);
  if (!found) return;
  const { assistant, conversation } = found;
  const lines = (await readLines(database.db, conversation.id, { limit: lineLimit })).filter(isSaid);
  const wasChat = lines.some(({ role }) => role === 'user');
  const ended = {
    transcript: lines,
    language: found.language,
    model: found.toolModel ?? found.model,
    ...assistant,
    postCallEvaluation: assistant.postCallEvaluation && wasChat,
  };
  const again = (attempt: number, pauseMs: number) =>
    jobs.send('conversation-ended', { ...job, attempt }, { startAfter: pauseMs });
  const tried = { attempt: job.attempt ?? 0, isLastTry, signal, again };
  await evaluateAndStore(parts, ended, tried, (evaluated) =>
    database.db.transaction(async (tx) => {
      const handled = await tx
        .update(conversations)
        .set({
          evaluation: evaluated?.evaluation ?? null,
          extractedVariables: evaluated?.variables ?? null,
          endHandledUntil: conversation.updatedAt,
        })
        .where(and(eq(conversations.id, conversation.id), isUnhandled(conversation.updatedAt)))
        .returning({ id: conversations.id });
      const url = assistant.conversationEndedWebhookUrl;
      if (handled.length === 0 || url === null || !wasChat) return;
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
          lines,
          createdAt: found.createdAt,
          endedAt: found.endedAt,
        }),
      });
    }),
  );
}

const isUnhandled = (until: string) =>
  or(isNull(conversations.endHandledUntil), lt(conversations.endHandledUntil, until));

async function readEnded({ db }: Database, conversationId: number) {
  const [found] = await db
    .select({
      conversation: conversations,
      ...engineContextColumns,
      assistant: assistants,
      createdAt: wireTimestamp(conversations.createdAt),
      endedAt: wireTimestamp(sql`coalesce(${conversations.endedAt}, ${conversations.updatedAt})`),
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(
      and(
        eq(conversations.id, conversationId),
        or(isNull(conversations.endHandledUntil), lt(conversations.endHandledUntil, conversations.updatedAt)),
      ),
    );
  return found;
}

/** Announcements were not said by anyone, nor were answers that were stopped before their first word. */
const isSaid = (line: StoredLine): line is StoredLine & SaidLine =>
  line.role !== 'system' && line.content.trim() !== '';
