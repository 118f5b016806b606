import { z } from 'zod';
import { readJsonList } from '../lib/read-json-list.ts';
import { endpointFields, haveOwnCodes, readServer, voiceName } from './read-endpoint.ts';
import type { Server } from './read-endpoint.ts';

/** An endpoint that speaks OpenAI's chat completions protocol. */
export interface LanguageModelConfig extends Server {
  model: string;
  /** Longest wait for a response to begin, and between two of its chunks. */
  idleTimeoutMs: number;
  /** USD for a million tokens. */
  price?: { input: number; output: number } | undefined;
}

/** An endpoint that speaks OpenAI's Realtime protocol. */
export interface RealtimeEndpoint extends Server {
  /** Its name at the provider. */
  model: string;
  /** The voices that assistants can choose; it has one of its own for the others. */
  voices: readonly string[];
}

/** A model that assistants can choose, with its endpoint. */
export interface ModelConfig {
  code: string;
  name: string;
  type: 'llm' | 'multimodal' | 'dualplex';
  /** Undefined if neither the model nor the defaults have one. */
  endpoint: LanguageModelConfig | undefined;
  /** The model that holds its calls by voice; undefined if calls are held by speech recognition and synthesis. */
  realtime: RealtimeEndpoint | undefined;
}

const Entry = z.strictObject({
  ...endpointFields,
  type: z.enum(['llm', 'multimodal', 'dualplex']).default('llm'),
  realtimeModel: z.string().min(1).optional(),
  voices: z.array(voiceName).max(100).optional(),
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
});

const Entries = z
  .array(Entry)
  .max(100)
  .refine(...haveOwnCodes);

/**
 * Reads the configured models from JSON, or from a JSON file. A model without an address uses the default endpoint; a
 * model with an address never gets the default endpoint's key.
 *
 * @throws Error whose message continues the name of the setting.
 */
export function readModels(
  value: string,
  env: Record<string, string | undefined>,
  defaults: Pick<LanguageModelConfig, 'model' | 'idleTimeoutMs'> & Partial<LanguageModelConfig>,
): ModelConfig[] {
  return readJsonList(value, Entries, 'models').map((entry) => {
    const { code, name, type, baseUrl, model, realtimeModel, voices, price: ownPrice } = entry;
    if (realtimeModel !== undefined && type === 'llm') {
      throw new Error(
        `must have realtimeModel only with the type multimodal or dualplex: ${code} has neither`,
      );
    }
    if (voices && (realtimeModel === undefined || type !== 'multimodal')) {
      const missing = realtimeModel === undefined ? 'has no realtimeModel' : `is of the type ${type}`;
      throw new Error(`must have voices only with realtimeModel and the type multimodal: ${code} ${missing}`);
    }
    const server = readServer(entry, env, defaults);
    const { idleTimeoutMs } = defaults;
    // The default price is that of the default model.
    const price = ownPrice ?? (model === undefined && baseUrl === undefined ? defaults.price : undefined);
    return {
      code,
      name: name ?? code,
      type,
      endpoint: server && { ...server, model: model ?? defaults.model, idleTimeoutMs, price },
      realtime:
        server && realtimeModel !== undefined
          ? { ...server, model: realtimeModel, voices: voices ?? [] }
          : undefined,
    };
  });
}
