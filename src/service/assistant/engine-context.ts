import { sql } from 'drizzle-orm';
import { isPhoneNumber } from '../../contract/request-fields.ts';
import type { StoredBuiltInTool } from '../db/assistants-table.ts';
import type { Database } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { EngineRequest, EngineTool } from '../engine/engine.ts';
import type { Embedder } from '../knowledge/embedder.ts';
import { numberProblem } from '../lib/callable-number.ts';
import type { AllowedCountries } from '../lib/callable-number.ts';
import { findPassages } from '../knowledge/find-passages.ts';
import { searchTool } from '../knowledge/search-tool.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { assistantTools } from '../tool/assistant-tools.ts';
import type { Channel } from '../tool/built-in-tools.ts';
import { unlessDisabled } from '../webhook-url/disable-failing-url.ts';
import { fillPrompt } from './fill-prompt.ts';
import type { FilledPrompt } from './fill-prompt.ts';

/** The part of an engine request that describes the assistant, in chats and calls. */
export interface EngineContext extends Pick<
  EngineRequest,
  'assistant' | 'tools' | 'includesPassages' | 'findPassages'
> {
  /** The system prompt. */
  prompt: FilledPrompt;
}

/** The parts of the service that an engine context is built from. */
export interface EngineContextDependencies {
  database: Database;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
  /** The countries to which calls may be transferred; all by default. */
  countries?: AllowedCountries;
}

const modelCode = (id: ReturnType<typeof sql>) =>
  sql<string | null>`(SELECT code FROM models WHERE models.id = ${id})`;

/** Only the required columns, since every message reads them. */
const assistantColumns = {
  uuid: assistants.uuid,
  name: assistants.name,
  userId: assistants.userId,
  systemPrompt: assistants.systemPrompt,
  variables: assistants.variables,
  llmTemperature: assistants.llmTemperature,
  knowledgebaseId: assistants.knowledgebaseId,
  knowledgebaseMode: assistants.knowledgebaseMode,
  toolIds: assistants.toolIds,
  tools: assistants.tools,
  // Nobody would be notified at a disabled address.
  handoffWebhookUrl: unlessDisabled(assistants.handoffWebhookUrl),
};

/** The columns of a query for an engine context; the query joins assistants with languages. */
export const engineContextColumns = {
  assistant: assistantColumns,
  language: languages.iso2,
  secondaryLanguages: sql<string[]>`ARRAY (SELECT secondary.iso_2 FROM languages AS secondary
    WHERE secondary.id = ANY (${assistants.secondaryLanguageIds}) ORDER BY secondary.id)`,
  /** The model of the assistant's mode. */
  model: modelCode(sql`CASE WHEN ${assistants.mode} = 'pipeline'
    THEN ${assistants.llmModelId} ELSE ${assistants.multimodalModelId} END`),
  /** The fallback model for tool calls in modes with a speech model. */
  toolModel: modelCode(
    sql`CASE WHEN ${assistants.mode} <> 'pipeline' THEN ${assistants.chatLlmFallbackId} END`,
  ),
};

/** A row of a query with {@link engineContextColumns}. */
export interface EngineContextRow {
  assistant: Pick<typeof assistants.$inferSelect, keyof typeof assistantColumns>;
  language: string;
  secondaryLanguages: string[];
  model: string | null;
  toolModel: string | null;
}

/**
 * Builds the engine context of an assistant: its prompt, model and tools.
 *
 * @param trusted the variables whose values come from the assistant's owner, as all of a phone call do.
 */
export async function createEngineContext(
  { database, fetchGuarded, embedder, countries = 'all' }: EngineContextDependencies,
  { assistant, language, secondaryLanguages, model, toolModel }: EngineContextRow,
  variables: StoredVariables,
  channel: Channel,
  trusted: StoredVariables = assistant.variables,
): Promise<EngineContext> {
  const { knowledgebaseId, knowledgebaseMode: mode } = assistant;
  const findInBase: EngineRequest['findPassages'] = async (question, limit) =>
    knowledgebaseId === null ? [] : findPassages(database.db, knowledgebaseId, question, limit, embedder);
  const prompt = fillPrompt(assistant.systemPrompt, variables, trusted);
  const owner = { ...assistant, tools: withCallableNumbers(assistant.tools, countries) };
  const tools = await assistantTools(database, owner, fetchGuarded, channel);
  return {
    assistant: {
      uuid: assistant.uuid,
      name: assistant.name,
      language,
      secondaryLanguages,
      systemPrompt: prompt.text,
      temperature: Number(assistant.llmTemperature),
      model,
      toolModel,
    },
    tools: knowledgebaseId === null || mode === 'prompt' ? tools : withSearch(tools, searchTool(findInBase)),
    includesPassages: mode === 'prompt' || mode === 'hybrid',
    findPassages: findInBase,
    prompt,
  };
}

/** Removes the numbers that must not be called: the operator may have changed the countries. */
const withCallableNumbers = (tools: StoredBuiltInTool[], countries: AllowedCountries) =>
  tools.map((tool) =>
    isPhoneNumber(tool.phone_number) && numberProblem(tool.phone_number, countries) !== undefined
      ? { ...tool, phone_number: null }
      : tool,
  );

/** Adds the search tool, unless the assistant has its own tool of that name. */
const withSearch = (tools: EngineTool[], search: EngineTool) =>
  tools.some(({ name }) => name === search.name) ? tools : [search, ...tools];
