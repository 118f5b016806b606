import { z } from 'zod';

/** The fields of an entry in a list of endpoints that name it. */
export const endpointFields = {
  code: z.string().regex(/^[\w.:/-]{1,100}$/, 'must be 1 to 100 letters, digits and any of _ . : / -'),
  name: z.string().min(1).max(255).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Name of the environment variable that contains the key. */
  apiKeyEnv: z.string().optional(),
  model: z.string().min(1).optional(),
};

/** The name of a voice at its endpoint. */
export const voiceName = z.string().min(1).max(100);

/** Whether each entry has a code of its own, and the error otherwise. */
export const haveOwnCodes = [
  (all: { code: string }[]) => new Set(all.map(({ code }) => code)).size === all.length,
  'must have each code once',
] as const;

/** The address of OpenAI's own endpoint. */
export const openAiUrl = 'https://api.openai.com/v1';

/** The address of an endpoint, and its key. */
export interface Server {
  /** Undefined for OpenAI's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
}

/**
 * Returns the endpoint of an entry. Without an address, it is the default one; with an address, it never gets the default
 * endpoint's key.
 *
 * @returns undefined if neither has one.
 * @throws Error whose message continues the name of the setting.
 */
export function readServer(
  {
    code,
    baseUrl,
    apiKeyEnv,
  }: { code: string; baseUrl?: string | undefined; apiKeyEnv?: string | undefined },
  env: Record<string, string | undefined>,
  defaults: Partial<Server> | undefined,
): Server | undefined {
  const ownKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== undefined && ownKey === undefined) {
    throw new Error(`must name variables that are set: ${apiKeyEnv} of ${code} is not`);
  }
  const apiKey = ownKey ?? (baseUrl === undefined ? defaults?.apiKey : undefined);
  const address = baseUrl ?? defaults?.baseUrl;
  return address === undefined && apiKey === undefined ? undefined : { baseUrl: address, apiKey };
}
