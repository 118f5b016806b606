import OpenAI from 'openai';
import { EngineError } from '../engine.ts';
import type { LanguageModelConfig } from '../read-models.ts';
import { alternateRoles } from './alternate-roles.ts';
import type { ChatMessage } from './build-prompt.ts';
import { ToolCallCollector } from './collect-tool-calls.ts';
import { sendAdapted } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import { IncompatibleEndpointError } from './model-problems.ts';
import { tokenUsage } from './token-usage.ts';
import type { TokenUsage } from './token-usage.ts';
import { textOf } from './without-reasoning.ts';
import type { ResponseContent } from './without-reasoning.ts';

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

type ResponseDelta = Omit<Chunk['choices'][number]['delta'], 'content'> & {
  content?: ResponseContent;
  /** The model's reasoning, from DeepSeek and other servers. */
  reasoning_content?: string | null;
  /** The same from newer versions of vLLM, and from Groq and Cerebras. */
  reasoning?: string | null;
};

/** A request for a streamed response. */
export interface CompletionRequest {
  messages: ChatMessage[];
  temperature: number;
  tools: OpenAI.Chat.Completions.ChatCompletionTool[];
  toolChoice: 'auto' | 'none';
  /** Whether the request offers tools and could be replaced by one without them. */
  canOmitTools: boolean;
}

/** A response that a model has begun to stream. */
export class Completion {
  readonly calls = new ToolCallCollector();
  readonly #chunks: AsyncGenerator<Chunk>;
  /** Chunks that `begin` has read. */
  readonly #first: Chunk[] = [];
  readonly #config: LanguageModelConfig;
  readonly #messages: ChatMessage[];
  #reported: OpenAI.CompletionUsage | null | undefined;
  #outputCharacters = 0;

  constructor(chunks: AsyncIterable<Chunk>, config: LanguageModelConfig, messages: ChatMessage[]) {
    this.#chunks = withIdleTimeout(chunks, config.idleTimeoutMs);
    this.#config = config;
    this.#messages = messages;
  }

  /** The usage so far. */
  get usage(): TokenUsage {
    return tokenUsage(this.#config, this.#reported, this.#messages, this.#outputCharacters);
  }

  /**
   * Resolves once the model has sent a chunk with choices. A status of 200 alone proves nothing: web pages have it, and
   * streams whose first event is an error.
   *
   * @throws IncompatibleEndpointError if there is no such chunk; APIError with the status of the event if it is an error.
   */
  async begin(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const next = await this.#chunks.next();
        if (next.done) {
          // The library ends aborted streams without an error.
          throw signal.aborted ? new OpenAI.APIUserAbortError() : new IncompatibleEndpointError();
        }
        this.#first.push(next.value);
        if (Array.isArray(next.value.choices)) return;
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw new IncompatibleEndpointError({ cause: error });
      throw withStatus(error);
    }
  }

  async *#allChunks(): AsyncGenerator<Chunk, undefined> {
    try {
      yield* this.#first;
      yield* this.#chunks;
    } finally {
      await this.#chunks.return(undefined);
    }
  }

  /**
   * Yields the text and collects the tool calls.
   *
   * @throws EngineError if the response breaks off.
   */
  async *read(): AsyncGenerator<string, undefined> {
    let finished = false;
    for await (const chunk of this.#allChunks()) {
      // Some gateways send chunks without choices.
      const choice = (chunk.choices as typeof chunk.choices | undefined)?.[0];
      this.#reported = chunk.usage ?? this.#reported;
      finished ||= choice?.finish_reason != null;
      // Results of a content filter have none.
      const delta: Partial<ResponseDelta> = choice?.delta ?? {};
      const { tool_calls: callDeltas, content, reasoning_content: reasoning } = delta;
      for (const callDelta of callDeltas ?? []) {
        this.calls.add(callDelta);
        this.#outputCharacters += callDelta.function?.arguments?.length ?? 0;
      }
      if (reasoning) this.calls.addReasoning(reasoning);
      const text = textOf(content);
      this.#outputCharacters += text.length + (reasoning ?? delta.reasoning ?? '').length;
      if (text !== '') yield text;
    }
    // A connection that is cut between two events looks like a normal end.
    if (!finished) throw new EngineError('the language model ended its answer early');
  }
}

/** Sets the status of an error that was sent as an event: its code, if that is one, as from vLLM and OpenRouter, else 200. */
function withStatus(error: unknown): unknown {
  if (!(error instanceof OpenAI.APIError)) return error;
  const { status, headers, code } = error as { status?: number; headers?: Headers; code?: unknown };
  // Connection errors have no headers.
  if (status !== undefined || !headers) return error;
  const isStatus = typeof code === 'number' && code >= 400 && code < 600;
  const body = { error: error.error as object | undefined };
  return OpenAI.APIError.generate(isStatus ? code : 200, body, error.message, headers);
}

/**
 * Requests a streamed response from a model, and waits until it begins.
 *
 * @param usages gets the usage of a response that does not begin; otherwise, the caller adds that of the completion.
 * @throws ToolRefusal if the model refuses the tools, and they can be omitted.
 */
export async function requestCompletion(
  endpoint: Endpoint,
  { messages, temperature, tools, toolChoice, canOmitTools }: CompletionRequest,
  usages: TokenUsage[],
  signal: AbortSignal,
): Promise<Completion> {
  const { client, config } = endpoint;
  const send = (sampling: { temperature?: number }) =>
    client.chat.completions.create(
      {
        model: config.model,
        ...sampling,
        messages: (endpoint.requiresAlternation ? alternateRoles(messages) : messages).map((message) =>
          adaptReasoning(message, endpoint.requiresReasoning),
        ),
        stream: true,
        // Some other servers refuse the field.
        ...(config.baseUrl === undefined && { stream_options: { include_usage: true } }),
        ...(tools.length > 0 && { tools, tool_choice: toolChoice }),
      },
      { signal },
    );
  const chunks = await sendAdapted(endpoint, temperature, send, canOmitTools);
  const completion = new Completion(chunks, config, messages);
  try {
    await completion.begin(signal);
  } catch (error) {
    usages.push(completion.usage);
    throw error;
  }
  return completion;
}

/** DeepSeek requires the field in every answer, also if it is empty; some other servers refuse it. */
function adaptReasoning(message: ChatMessage, isRequired: boolean): ChatMessage {
  const { reasoning_content: reasoning = '', ...others } = message;
  return isRequired && message.role === 'assistant' ? { ...others, reasoning_content: reasoning } : others;
}
