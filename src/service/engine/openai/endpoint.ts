import OpenAI from 'openai';
import type { LanguageModelConfig } from '../read-models.ts';

/** Local servers need no key, but the library requires one. */
const noKey = 'none';

/** Retries of a failed request. Once a response has begun, it is never retried. */
const retries = 1;

/** A client with its configuration. */
export interface Endpoint {
  client: OpenAI;
  config: LanguageModelConfig;
  /** Whether the model has refused a temperature, as reasoning models do. */
  refusesTemperature: boolean;
}

export const createEndpoint = (config: LanguageModelConfig): Endpoint => ({
  client: new OpenAI({
    apiKey: config.apiKey ?? noKey,
    baseURL: config.baseUrl ?? null,
    maxRetries: retries,
    timeout: config.idleTimeoutMs,
    // The library would log requests with their messages.
    logLevel: 'off',
  }),
  config,
  refusesTemperature: false,
});

/** Sends a request with a temperature, or without one if the model refuses it. */
export async function withTemperature<Response>(
  endpoint: Endpoint,
  temperature: number,
  send: (sampling: { temperature?: number }) => PromiseLike<Response>,
): Promise<Response> {
  if (endpoint.refusesTemperature) return send({});
  try {
    return await send({ temperature });
  } catch (error) {
    if (!(error instanceof OpenAI.BadRequestError) || !error.message.includes('temperature')) throw error;
    endpoint.refusesTemperature = true;
    return send({});
  }
}
