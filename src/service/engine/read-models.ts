import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** An endpoint that speaks OpenAI's chat completions protocol. */
export interface LanguageModelConfig {
  /** Undefined for OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
  /** Longest pause between two chunks of a response. */
  idleTimeoutMs: number;
  /** USD for a million tokens. */
  price?: { input: number; output: number } | undefined;
}

/** An endpoint that speaks OpenAI's Realtime protocol. */
export interface RealtimeEndpoint {
  /** Undefined for OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  /** Its name at the provider. */
  model: string;
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
  code: z.string().regex(/^[\w.:/-]{1,100}$/, 'must be 1 to 100 letters, digits and any of _ . : / -'),
  name: z.string().min(1).max(255).optional(),
  type: z.enum(['llm', 'multimodal', 'dualplex']).default('llm'),
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Name of the environment variable that contains the key. */
  apiKeyEnv: z.string().optional(),
  model: z.string().min(1).optional(),
  realtimeModel: z.string().min(1).optional(),
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
});

const Entries = z
  .array(Entry)
  .max(100)
  .refine((all) => new Set(all.map(({ code }) => code)).size === all.length, 'must have each code once');

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
  const parsed = Entries.safeParse(parse(value.trim().startsWith('[') ? value : readText(value)));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'is wrong' };
    throw new Error(`must be a list of models: ${[...path.map(String), message].join(' ')}`);
  }
  return parsed.data.map((entry) => {
    const { code, name, type, baseUrl, apiKeyEnv, model, realtimeModel, price: ownPrice } = entry;
    if (realtimeModel !== undefined && type === 'llm') {
      throw new Error(
        `must have realtimeModel only with the type multimodal or dualplex: ${code} has neither`,
      );
    }
    const ownKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    if (apiKeyEnv !== undefined && ownKey === undefined) {
      throw new Error(`must name variables that are set: ${apiKeyEnv} of ${code} is not`);
    }
    const key = ownKey ?? (baseUrl === undefined ? defaults.apiKey : undefined);
    const address = baseUrl ?? defaults.baseUrl;
    const { idleTimeoutMs } = defaults;
    // The default price is that of the default model.
    const price = ownPrice ?? (model === undefined && baseUrl === undefined ? defaults.price : undefined);
    const hasEndpoint = address !== undefined || key !== undefined;
    const server = { baseUrl: address, apiKey: key };
    return {
      ...{ code, name: name ?? code, type },
      endpoint: hasEndpoint ? { ...server, model: model ?? defaults.model, idleTimeoutMs, price } : undefined,
      realtime: hasEndpoint && realtimeModel !== undefined ? { ...server, model: realtimeModel } : undefined,
    };
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error('must be a list of models as JSON, or a file that holds one', { cause });
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('must be valid JSON', { cause });
  }
}
