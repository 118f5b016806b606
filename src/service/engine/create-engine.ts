import type { Logger } from 'pino';
import type { Engine, ModelUsage } from './engine.ts';
import { OfflineEngine } from './offline/offline-engine.ts';
import { OpenAiEngine } from './openai/openai-engine.ts';
import type { LanguageModelConfig, ModelConfig } from './read-models.ts';

/**
 * Creates the configured engine: language models, and the offline engine for models without an endpoint. `problems`
 * returns what the operator must correct in the settings of the models, and `test` finds that out.
 */
export function createEngine(
  { languageModel, models }: { languageModel: LanguageModelConfig | undefined; models: ModelConfig[] },
  log: Logger,
  recordUsage: (usage: ModelUsage) => Promise<void>,
): Engine & { problems: () => string[]; test: () => Promise<void> } {
  const online = new OpenAiEngine(languageModel, models, log, recordUsage);
  const offline = new OfflineEngine();
  return {
    problems: () => online.warnings,
    test: () => online.test(),
    reply: (request, signal) =>
      (online.has(request.assistant.model) ? online : offline).reply(request, signal),
    evaluate: (request, signal) => (online.has(request.model) ? online : offline).evaluate(request, signal),
  };
}
