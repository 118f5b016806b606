import OpenAI from 'openai';
import type { Logger } from 'pino';
import type { LanguageModelConfig } from '../../config.ts';
import { EngineError } from '../engine.ts';
import type { Engine, EngineRequest, ReplyEvent } from '../engine.ts';
import { buildPrompt } from './build-prompt.ts';
import { publicReason } from './public-reason.ts';
import { withSilenceLimit } from './silence-limit.ts';

/** Local servers want no key, but the library wants one. */
const noKey = 'none';

/** Times that a request is tried again if the model's server could not take it. Never once it has begun to answer. */
const retries = 1;

/** Answers with a language model behind any endpoint that speaks OpenAI's chat completions protocol. */
export class OpenAiEngine implements Engine {
  readonly #client: OpenAI;
  readonly #config: LanguageModelConfig;
  readonly #log: Logger;

  constructor(config: LanguageModelConfig, log: Logger) {
    this.#client = new OpenAI({
      apiKey: config.apiKey ?? noKey,
      baseURL: config.baseUrl ?? null,
      maxRetries: retries,
      timeout: config.silenceMs,
      // It would log requests with their messages.
      logLevel: 'off',
    });
    this.#config = config;
    this.#log = log;
  }

  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    try {
      const stream = await this.#client.chat.completions.create(
        {
          model: this.#config.model,
          temperature: request.assistant.temperature,
          messages: await buildPrompt(request),
          stream: true,
        },
        { signal },
      );
      let finished = false;
      for await (const chunk of withSilenceLimit(stream, this.#config.silenceMs)) {
        const choice = chunk.choices[0];
        if (choice?.delta.content) yield { type: 'delta', text: choice.delta.content };
        finished ||= choice?.finish_reason != null;
      }
      // A connection that is cut between two events looks like an end.
      if (!finished) throw new EngineError('the language model broke off its answer');
    } catch (error) {
      if (error instanceof EngineError || signal.aborted) throw error;
      this.#log.warn(describeFailure(error), 'the language model failed');
      throw new EngineError(publicReason(error), { cause: error });
    }
  }
}

/** What may be logged of it: a provider's message can quote the key or the prompt. */
function describeFailure(error: unknown): { failure: string; status?: number; requestId?: string } {
  if (!(error instanceof OpenAI.APIError))
    return { failure: error instanceof Error ? error.name : typeof error };
  const { status, requestID } = error as { status?: number; requestID?: string | null };
  return {
    failure: error.constructor.name,
    ...(status === undefined ? {} : { status }),
    ...(requestID == null ? {} : { requestId: requestID }),
  };
}
