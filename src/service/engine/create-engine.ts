import type { Logger } from 'pino';
import type { LanguageModelConfig } from '../config.ts';
import type { Engine } from './engine.ts';
import { OfflineEngine } from './offline/offline-engine.ts';
import { OpenAiEngine } from './openai/openai-engine.ts';

/** The engine that the settings ask for: a language model, or without one the offline engine. */
export function createEngine(languageModel: LanguageModelConfig | undefined, log: Logger): Engine {
  return languageModel ? new OpenAiEngine(languageModel, log) : new OfflineEngine();
}
