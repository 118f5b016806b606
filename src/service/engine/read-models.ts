import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Where replies come from when a language model is configured: any endpoint that speaks OpenAI's chat protocol. */
export interface LanguageModelConfig {
  /** Undefined means OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
  /** Longest silence of the model before it is given up. */
  silenceMs: number;
}

/** A model that assistants can choose, and where it answers. */
export interface ModelConfig {
  code: string;
  name: string;
  type: 'llm' | 'multimodal' | 'dualplex';
  /** Undefined where the settings name none, and no default one either. */
  endpoint: LanguageModelConfig | undefined;
}

const Entry = z.strictObject({
  code: z.string().regex(/^[\w.:/-]{1,100}$/, 'must be 1 to 100 letters, digits and any of _ . : / -'),
  name: z.string().min(1).max(255).optional(),
  type: z.enum(['llm', 'multimodal', 'dualplex']).default('llm'),
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Name of the environment variable that holds the key. */
  apiKeyEnv: z.string().optional(),
  model: z.string().min(1).optional(),
});

const Entries = z
  .array(Entry)
  .max(100)
  .refine((all) => new Set(all.map(({ code }) => code)).size === all.length, 'must have each code once');

/**
 * Reads the models of the settings: JSON, or the name of a file that holds it. One without an address of its own is at
 * the default one; one with an address never gets the default one's key.
 *
 * @throws Error with what is wrong, to follow the name of the setting.
 */
export function readModels(
  given: string,
  env: Record<string, string | undefined>,
  byDefault: Pick<LanguageModelConfig, 'model' | 'silenceMs'> & Partial<LanguageModelConfig>,
): ModelConfig[] {
  const parsed = Entries.safeParse(parse(given.trim().startsWith('[') ? given : readText(given)));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'is wrong' };
    throw new Error(`must be a list of models: ${[...path.map(String), message].join(' ')}`);
  }
  return parsed.data.map(({ code, name, type, baseUrl, apiKeyEnv, model }) => {
    const ownKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    if (apiKeyEnv !== undefined && ownKey === undefined) {
      throw new Error(`must name variables that are set: ${apiKeyEnv} of ${code} is not`);
    }
    const key = ownKey ?? (baseUrl === undefined ? byDefault.apiKey : undefined);
    const address = baseUrl ?? byDefault.baseUrl;
    const { silenceMs } = byDefault;
    const endpoint =
      address === undefined && key === undefined
        ? undefined
        : { baseUrl: address, apiKey: key, model: model ?? byDefault.model, silenceMs };
    return { code, name: name ?? code, type, endpoint };
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
