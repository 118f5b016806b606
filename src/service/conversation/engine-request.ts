import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import type { EngineRequest, Utterance } from '../engine/engine.ts';
import { findPassages } from '../knowledge/find-passages.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { fillVariables } from './fill-variables.ts';
import { ConversationError } from './conversation-error.ts';
import { readLines } from './history.ts';
import type { StoredLine } from './history.ts';

/** How much of what was said before an engine gets: latest lines first, as many whole ones as fit. */
const historyBounds = { lines: 40, characters: 24_000 };

/** Longest system prompt after variables were filled in; a visitor's variables must not make it grow without end. */
const systemPromptCharacters = 64_000;

/** Gathers what an engine needs to answer a message whose turn has come. */
export async function buildEngineRequest(
  database: Database,
  message: AcceptedMessage,
): Promise<EngineRequest> {
  const { db } = database;
  const [found] = await db
    .select({ assistant: assistants, language: languages.iso2, variables: conversations.variables })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(eq(conversations.id, message.conversationId));
  if (!found) throw ConversationError.conversationNotFound();
  const { assistant, language, variables } = found;
  const { knowledgebaseId } = assistant;

  const lines = await readLines(db, message.conversationId, {
    beforeTurn: message.turn,
    limit: historyBounds.lines,
  });
  return {
    assistant: {
      name: assistant.name,
      language,
      systemPrompt: fillVariables(assistant.systemPrompt, variables).slice(0, systemPromptCharacters),
      temperature: Number(assistant.llmTemperature),
    },
    history: keepLatest(lines.filter(isSpoken)),
    message: message.text,
    toolResults: message.toolResults,
    pageTools: message.pageTools,
    findPassages: async (question, limit) =>
      knowledgebaseId === null ? [] : findPassages(db, knowledgebaseId, question, limit),
  };
}

/** Events are not for engines, nor are answers that were stopped before their first word. */
function isSpoken(line: StoredLine): line is StoredLine & { role: Utterance['role'] } {
  return line.role !== 'system' && line.content.trim() !== '';
}

function keepLatest(history: (StoredLine & { role: Utterance['role'] })[]): Utterance[] {
  let characters = 0;
  const first = history.findLastIndex(({ content, toolResults }) => {
    characters += content.length + (toolResults.length > 0 ? JSON.stringify(toolResults).length : 0);
    return characters > historyBounds.characters;
  });
  return history.slice(first + 1).map(({ role, content, toolResults }) => ({ role, content, toolResults }));
}
