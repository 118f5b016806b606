import { eq } from 'drizzle-orm';
import { createEngineContext, engineContextColumns } from '../assistant/engine-context.ts';
import type { EngineContextParts, EngineContextRow } from '../assistant/engine-context.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { EngineRequest, Utterance } from '../engine/engine.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { readLines } from './history.ts';
import type { StoredLine } from './history.ts';

/** How much of what was said before an engine gets: latest lines first, as many whole ones as fit. */
const historyBounds = { lines: 40, characters: 24_000 };

/** Gathers what an engine needs to answer a message whose turn has come. */
export async function buildEngineRequest(
  parts: EngineContextParts,
  message: AcceptedMessage,
): Promise<EngineRequest> {
  const { db } = parts.database;
  const [found] = await selectEngineContext(db, { conversationId: message.conversationId });
  if (!found) throw ConversationError.conversationNotFound();
  const lines = await readLines(db, message.conversationId, {
    beforeTurn: message.turn,
    limit: historyBounds.lines,
  });
  return {
    ...(await createEngineContext(parts, found, found.variables, 'chat')),
    history: keepLatest(lines.filter(isSpoken)),
    message: message.text,
    toolResults: message.toolResults,
    pageTools: message.pageTools,
  };
}

const selectEngineContext = prepared<
  { conversationId: number },
  (EngineContextRow & { variables: StoredVariables })[]
>((queries, place) =>
  queries
    .select({ ...engineContextColumns, variables: conversations.variables })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(eq(conversations.id, place.conversationId)),
);

/** Events are not for engines, nor are answers that were stopped before their first word. */
function isSpoken(line: StoredLine): line is StoredLine & { role: Utterance['role'] } {
  return (
    line.role !== 'system' && (line.content.trim() !== '' || line.functionCalls.some(({ client }) => !client))
  );
}

function keepLatest(history: (StoredLine & { role: Utterance['role'] })[]): Utterance[] {
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
