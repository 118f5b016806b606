import { eq } from 'drizzle-orm';
import { createEngineContext, engineContextColumns } from '../assistant/engine-context.ts';
import type { EngineContextDependencies, EngineContextRow } from '../assistant/engine-context.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { maxVisitorDataBytes } from '../assistant/visitor-data-limit.ts';
import type { EngineRequest, PageToolResult, Utterance } from '../engine/engine.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { readEntries } from './history.ts';
import type { StoredEntry } from './history.ts';

/** Maximum history that an engine receives: the latest entries, never cut. */
const historyBounds = { entries: 40, characters: 24_000 };

/**
 * Builds the engine's request for a message whose turn has come.
 *
 * @returns the request, and the names of the page's data that did not fit into it.
 */
export async function buildEngineRequest(
  dependencies: EngineContextDependencies,
  message: AcceptedMessage,
): Promise<{ request: EngineRequest; leftOut: string[] }> {
  const { db } = dependencies.database;
  const [found] = await selectEngineContext(db, { conversationId: message.conversationId });
  if (!found) throw ConversationError.conversationNotFound();
  const entries = await readEntries(db, message.conversationId, {
    beforeTurn: message.turn,
    limit: historyBounds.entries,
  });
  const { prompt, ...context } = await createEngineContext(dependencies, found, found.variables, 'chat');
  const leftOut = prompt.leftOut.map((name) => `variable ${name}`);
  let bytesLeft = maxVisitorDataBytes - prompt.fencedBytes;
  /** Subtracts a value's bytes from the remaining ones, unless there are too few. */
  const take = (value: unknown, label: string): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const fits = bytes <= bytesLeft;
    if (fits) bytesLeft -= bytes;
    else leftOut.push(label);
    return fits;
  };
  const bound = (results: PageToolResult[]) =>
    results.map((result) => (take(result, `result of ${result.name}`) ? result : { ...result, ...tooLong }));
  const toolResults = bound(message.toolResults);
  const pageTools = message.pageTools.filter((tool) => take(tool, `tool ${tool.name}`));
  // The latest first: older results are left out.
  const history = latestWithinBounds(entries.filter(isSpoken))
    .reverse()
    .map((utterance) => ({ ...utterance, toolResults: bound(utterance.toolResults) }))
    .reverse();
  return { request: { ...context, history, message: message.text, toolResults, pageTools }, leftOut };
}

const tooLong = { arguments: {}, result: 'left out: too long' };

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
