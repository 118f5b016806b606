import type OpenAI from 'openai';
import type { ModelUsage } from '../engine.ts';
import type { LanguageModelConfig } from '../read-models.ts';
import type { ChatMessage } from './build-prompt.ts';

/** About as many characters as a token has in European languages. */
const charactersPerToken = 4;

/** The usage of one request to a model. */
export type TokenUsage = Pick<ModelUsage, 'model' | 'inputTokens' | 'outputTokens' | 'cost'>;

/** Returns the usage that the model reported, or an estimate from the length of the texts. */
export function tokenUsage(
  { model, price }: LanguageModelConfig,
  reported: OpenAI.CompletionUsage | null | undefined,
  messages: ChatMessage[],
  outputCharacters: number,
): TokenUsage {
  const inputTokens = reported?.prompt_tokens ?? tokensOf(JSON.stringify(messages).length);
  const outputTokens = reported?.completion_tokens ?? tokensOf(outputCharacters);
  const cost = price && (inputTokens * price.input + outputTokens * price.output) / 1e6;
  return { model, inputTokens, outputTokens, cost };
}

const tokensOf = (characters: number) => Math.ceil(characters / charactersPerToken);

/** Adds up the usage of requests to the same model; undefined without any. */
export function sumUsage(usages: TokenUsage[]): TokenUsage | undefined {
  const [first] = usages;
  if (!first) return undefined;
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const costs = usages.flatMap(({ cost }) => cost ?? []);
  return {
    model: first.model,
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
    cost: costs.length === usages.length ? sum(costs) : undefined,
  };
}
