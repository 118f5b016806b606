import OpenAI from 'openai';

/** An OpenAI-compatible endpoint (`/v1/audio`). An undefined `baseUrl` means OpenAI's own. */
export interface AudioEndpoint {
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

export function createAudioClient({ baseUrl, apiKey }: AudioEndpoint): OpenAI {
  // The client requires a key, but self-hosted servers often need none.
  return new OpenAI({
    baseURL: baseUrl ?? null,
    apiKey: apiKey ?? 'none',
    maxRetries: 1,
    timeout: 30_000,
    // The library would log the texts.
    logLevel: 'off',
  });
}
