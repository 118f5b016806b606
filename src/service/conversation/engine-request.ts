import { eq } from 'drizzle-orm';
import { createEngineContext, engineContextColumns } from '../assistant/engine-context.ts';
import type { EngineContextParts, EngineContextRow } from '../assistant/engine-context.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { EngineRequest, Utterance } from '../engine/engine.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { readLines as readEntries } from './history.ts';
import type { StoredLine as StoredEntry } from './history.ts';

/** Most history that an engine gets: the latest entries, whole. */
const historyBounds = { entries: 40, characters: 24_000 };

/** Builds the engine's request for a message whose turn has come. */
export async function buildEngineRequest(
  parts: EngineContextParts,
  message: AcceptedMessage,
): Promise<EngineRequest> {
  const { db } = parts.database;
  const [found] = await selectEngineContext(db, { conversationId: message.conversationId });
  if (!found) throw ConversationError.conversationNotFound();
  const entries = await readEntries(db, message.conversationId, {
    beforeTurn: message.turn,
    limit: historyBounds.entries,
  });
  return {
    ...(await createEngineContext(parts, found, found.variables, 'chat')),
    history: latestWithinBounds(entries.filter(isSpoken)),
    message: message.text,
    toolResults: message.toolResults,
    pageTools: message.pageTools,
  };
}

const selectEngineContext = prepared<
  { conversationId: number },
  (EngineContextRow & { variables: StoredVariables })[]
>((queries, params) =>
  queries
    .select({ ...engineContextColumns, variables: conversations.variables })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(eq(conversations.id, params.conversationId)),
);

/** Excludes system entries and answers that were stopped before their first word. */
function isSpoken(entry: StoredEntry): entry is StoredEntry & { role: Utterance['role'] } {
  return (
    entry.role !== 'system' &&
    (entry.content.trim() !== '' || entry.functionCalls.some(({ client }) => !client))
  );
}

function latestWithinBounds(history: (StoredEntry & { role: Utterance['role'] })[]): Utterance[] {
  let characters = 0;
  const first = history.findLastIndex(({ content, toolResults, functionCalls }) => {
    characters += content.length;
    for (const made of [toolResults, functionCalls])
      if (made.length > 0) characters += JSON.stringify(made).length;
    return characters > historyBounds.characters;
  });
  return history
    .slice(first + 1)
    .map(({ role, content, toolResults, functionCalls }) => ({ role, content, toolResults, functionCalls }));
}
