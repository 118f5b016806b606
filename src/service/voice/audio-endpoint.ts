import OpenAI from 'openai';

/** An OpenAI-compatible endpoint (`/v1/audio`); undefined address and key mean OpenAI's own. */
export interface AudioEndpoint {
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

export function createAudioClient({ baseUrl, apiKey }: AudioEndpoint): OpenAI {
  // Without a key, the client would not start; servers of one's own often need none.
  return new OpenAI({ baseURL: baseUrl ?? null, apiKey: apiKey ?? 'none', maxRetries: 1, timeout: 30_000 });
}
