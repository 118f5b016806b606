import { sql } from 'drizzle-orm';
import { fillVariables } from '../lib/fill-variables.ts';
import type { Database } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { EngineRequest, EngineTool } from '../engine/engine.ts';
import type { Embedder } from '../knowledge/embedder.ts';
import { findPassages } from '../knowledge/find-passages.ts';
import { searchTool } from '../knowledge/search-tool.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { assistantTools } from '../tool/assistant-tools.ts';
import type { Channel } from '../tool/built-in-tools.ts';

/** What an engine is told of an assistant, whatever it talks through. */
export type Briefing = Pick<EngineRequest, 'assistant' | 'tools' | 'quotesKnowledge' | 'findPassages'>;

/** What a briefing needs of the service. */
export interface BriefingParts {
  database: Database;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
}

/** Longest system prompt after variables were filled in; a visitor's variables must not make it grow without end. */
const systemPromptCharacters = 64_000;

const modelCode = (id: ReturnType<typeof sql>) =>
  sql<string | null>`(SELECT code FROM models WHERE models.id = ${id})`;

/** What a briefing is made of; an assistant has six times as much, and every message reads it. */
const assistantColumns = {
  name: assistants.name,
  userId: assistants.userId,
  systemPrompt: assistants.systemPrompt,
  llmTemperature: assistants.llmTemperature,
  knowledgebaseId: assistants.knowledgebaseId,
  knowledgebaseMode: assistants.knowledgebaseMode,
  toolIds: assistants.toolIds,
  tools: assistants.tools,
};

/** What a query has to select for a briefing; it joins assistants with languages. */
export const briefingColumns = {
  assistant: assistantColumns,
  language: languages.iso2,
  secondaryLanguages: sql<string[]>`ARRAY (SELECT secondary.iso_2 FROM languages AS secondary
    WHERE secondary.id = ANY (${assistants.secondaryLanguageIds}) ORDER BY secondary.id)`,
  /** The model that the mode names. */
  model: modelCode(sql`CASE WHEN ${assistants.mode} = 'pipeline'
    THEN ${assistants.llmModelId} ELSE ${assistants.multimodalModelId} END`),
  /** Modes whose model is made for speech may have another one deal with tools. */
  toolModel: modelCode(
    sql`CASE WHEN ${assistants.mode} <> 'pipeline' THEN ${assistants.chatLlmFallbackId} END`,
  ),
};

/** A row of such a query. */
export interface BriefingRow {
  assistant: Pick<typeof assistants.$inferSelect, keyof typeof assistantColumns>;
  language: string;
  secondaryLanguages: string[];
  model: string | null;
  toolModel: string | null;
}

/** Tells an engine who it is and what it can do. */
export async function briefAssistant(
  { database: { db }, fetchGuarded, embedder }: BriefingParts,
  { assistant, language, secondaryLanguages, model, toolModel }: BriefingRow,
  variables: StoredVariables,
  channel: Channel,
): Promise<Briefing> {
  const { knowledgebaseId, knowledgebaseMode: mode } = assistant;
  const findInBase: EngineRequest['findPassages'] = async (question, limit) =>
    knowledgebaseId === null ? [] : findPassages(db, knowledgebaseId, question, limit, embedder);
  const tools = await assistantTools(db, assistant, fetchGuarded, channel);
  return {
    assistant: {
      name: assistant.name,
      language,
      secondaryLanguages,
      systemPrompt: fillVariables(assistant.systemPrompt, variables).slice(0, systemPromptCharacters),
      temperature: Number(assistant.llmTemperature),
      model,
      toolModel,
    },
    tools: knowledgebaseId === null || mode === 'prompt' ? tools : withSearch(tools, searchTool(findInBase)),
    quotesKnowledge: mode === 'prompt' || mode === 'hybrid',
    findPassages: findInBase,
  };
}

/** A tool of the assistant's own with the same name is the one that was meant. */
const withSearch = (tools: EngineTool[], search: EngineTool) =>
  tools.some(({ name }) => name === search.name) ? tools : [search, ...tools];
