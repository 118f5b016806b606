import OpenAI from 'openai';
import type { LanguageModelConfig } from '../read-models.ts';
import { isAlternationRefusal } from './alternate-roles.ts';
import { describeToolRefusal, isToolRefusal, ToolRefusal } from './function-calling.ts';

/** Local servers need no key, but the library requires one. */
const noKey = 'none';

/** Retries of a failed request, also of one whose response did not begin in time. Once it has begun, it is never retried. */
const retries = 1;

/** Some servers send an error without the field `error` that the library reads: older versions of vLLM, Mistral. */
class ModelClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: { error?: object } | undefined,
    message: string | undefined,
    headers: Headers,
  ): InstanceType<typeof OpenAI.APIError> {
    return super.makeStatusError(status, { error: body?.error ?? body }, message, headers);
  }
}

/** A client with its configuration. */
export interface Endpoint {
  /** The quoted name of the model and, in parentheses, the code of its entry in MODELS if that differs. */
  label: string;
  client: OpenAI;
  config: LanguageModelConfig;
  /** What the operator must correct, according to the latest response. */
  problem: string | undefined;
  /** The number of requests so far. */
  requestCount: number;
  /** The number of the request whose outcome `problem` is. */
  outcomeOf: number;
  /** Whether the model has refused a temperature, as reasoning models do. */
  refusesTemperature: boolean;
  /** Whether the model has required the reasoning for its earlier function calls, as DeepSeek does. */
  requiresReasoning: boolean;
  /** Whether the model has required that messages of the user and the assistant alternate. */
  requiresAlternation: boolean;
  /** Until when it is not offered tools, since it has refused them; in milliseconds since the epoch. */
  withoutToolsUntil: number;
}

/** @param code of its entry in MODELS; the default model has none. */
export const createEndpoint = (config: LanguageModelConfig, code = config.model): Endpoint => ({
  label: code === config.model ? `"${config.model}"` : `"${config.model}" (${code})`,
  client: new ModelClient({
    apiKey: config.apiKey ?? noKey,
    baseURL: config.baseUrl ?? null,
    maxRetries: retries,
    // Until the headers of a response, for each try. `withIdleTimeout` limits the wait for its chunks.
    timeout: config.idleTimeoutMs,
    // The library would log requests with their messages.
    logLevel: 'off',
  }),
  config,
  problem: undefined,
  requestCount: 0,
  outcomeOf: 0,
  refusesTemperature: false,
  requiresReasoning: false,
  requiresAlternation: false,
  withoutToolsUntil: 0,
});

/**
 * Sends a request, and once more for each requirement of the model that its refusal names.
 *
 * @param canOmitTools whether the request offers tools and could be replaced by one without them.
 * @throws ToolRefusal if the model refuses these tools: the prompt must then be rebuilt without them.
 */
export async function sendAdapted<Response>(
  endpoint: Endpoint,
  temperature: number,
  send: (sampling: { temperature?: number }) => PromiseLike<Response>,
  canOmitTools = false,
): Promise<Response> {
  const { refusesTemperature, requiresReasoning, requiresAlternation } = endpoint;
  try {
    return await send(refusesTemperature ? {} : { temperature });
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    const isBadRequest = error instanceof OpenAI.BadRequestError;
    if (isBadRequest && !refusesTemperature && error.message.includes('temperature'))
      endpoint.refusesTemperature = true;
    else if (isBadRequest && !requiresReasoning && error.message.includes('reasoning_content'))
      endpoint.requiresReasoning = true;
    // llama.cpp responds with 500.
    else if (!requiresAlternation && isAlternationRefusal(error.message)) endpoint.requiresAlternation = true;
    else if (canOmitTools && isToolRefusal(error.status, error.message)) {
      throw new ToolRefusal(describeToolRefusal(endpoint.label), { cause: error });
    } else throw error;
    return sendAdapted(endpoint, temperature, send, canOmitTools);
  }
}
