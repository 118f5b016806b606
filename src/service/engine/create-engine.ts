import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Engine } from './engine.ts';
import { OfflineEngine } from './offline/offline-engine.ts';
import { OpenAiEngine } from './openai/openai-engine.ts';

/** The engine that the settings ask for: language models, and the offline engine where there are none. */
export function createEngine(
  { languageModel, models }: Pick<Config, 'languageModel' | 'models'>,
  log: Logger,
): Engine {
  const online = new OpenAiEngine(languageModel, models, log);
  const offline = new OfflineEngine();
  return {
    reply: (request, signal) =>
      (online.has(request.assistant.model) ? online : offline).reply(request, signal),
    evaluate: (request, signal) => (online.has(request.model) ? online : offline).evaluate(request, signal),
  };
}
