import OpenAI from 'openai';
import type { Logger } from 'pino';
import { EngineError } from '../engine.ts';
import type { LanguageModelConfig, ModelConfig } from '../read-models.ts';
import type { Engine, EngineRequest, Evaluation, EvaluationRequest, ReplyEvent } from '../engine.ts';
import { askForEvaluation } from './ask-for-evaluation.ts';
import { buildPrompt } from './build-prompt.ts';
import type { ChatMessage } from './build-prompt.ts';
import { CollectedCalls } from './collect-calls.ts';
import { callLimit, makeCalls } from './make-calls.ts';
import { publicReason } from './public-reason.ts';
import { withSilenceLimit } from './silence-limit.ts';
import { describeTools } from './written-call.ts';
import type { WrittenCall } from './written-call.ts';

/** Local servers want no key, but the library wants one. */
const noKey = 'none';

/** Times that a request is tried again if the model's server could not take it. Never once it has begun to answer. */
const retries = 1;

/** Times that the model may ask for functions in one reply. After that it has to make do with words. */
const callRounds = 4;

/** Answers with a language model behind any endpoint that speaks OpenAI's chat completions protocol. */
export class OpenAiEngine implements Engine {
  readonly #default: Endpoint | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #log: Logger;

  /** @param byDefault answers for models that have no endpoint of their own. */
  constructor(byDefault: LanguageModelConfig | undefined, models: ModelConfig[], log: Logger) {
    this.#default = byDefault && asEndpoint(byDefault);
    for (const { code, endpoint } of models) {
      if (endpoint) this.#endpoints.set(code, asEndpoint(endpoint));
    }
    this.#log = log;
  }

  /** Whether it can answer for a model, or with null by default. */
  has(model: string | null): boolean {
    return this.#find(model) !== undefined;
  }

  #find(model: string | null): Endpoint | undefined {
    return (model === null ? undefined : this.#endpoints.get(model)) ?? this.#default;
  }

  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    try {
      const messages = await buildPrompt(request);
      let made = 0;
      let hasSpoken = false;
      let rounds = callRounds;
      for (let round = 0; round <= rounds; round++) {
        const said: string[] = [];
        const calls = new CollectedCalls();
        for await (const text of this.#say(request, messages, round < rounds, calls, signal)) {
          // What is said before a call and after it are two paragraphs.
          yield { type: 'delta', text: hasSpoken && said.length === 0 ? `\n\n${text}` : text };
          said.push(text);
        }
        hasSpoken ||= said.length > 0;
        if (calls.all.length === 0) return;
        messages.push(asMessage(said.join(''), calls.all));
        const outcomes = makeCalls(calls.all, request, callLimit - made, signal);
        for (const [place, outcome] of outcomes.entries()) {
          const { event, told, ends } = await outcome;
          if (event) {
            made++;
            yield event;
          }
          // There may be a goodbye to say, but nothing more to do.
          if (ends) rounds = hasSpoken ? round : round + 1;
          messages.push({ role: 'tool', tool_call_id: calls.all[place]?.id ?? '', content: told });
        }
      }
    } catch (error) {
      throw this.#explain(error, signal);
    }
  }

  async evaluate(request: EvaluationRequest, signal: AbortSignal): Promise<Evaluation> {
    try {
      const endpoint = this.#find(request.model);
      if (!endpoint) throw new EngineError('no language model is configured');
      return await askForEvaluation(endpoint.client, endpoint.config.model, request, signal);
    } catch (error) {
      throw this.#explain(error, signal);
    }
  }

  /** The error that callers get: what they know already, or a reason that a visitor may read. */
  #explain(error: unknown, signal: AbortSignal): unknown {
    if (error instanceof EngineError || signal.aborted) return error;
    this.#log.warn(describeFailure(error), 'the language model failed');
    return new EngineError(publicReason(error), { cause: error });
  }

  /** One request to the model: yields what it says and collects what it calls. */
  async *#say(
    { assistant, pageTools, tools }: EngineRequest,
    messages: ChatMessage[],
    mayCall: boolean,
    calls: CollectedCalls,
    signal: AbortSignal,
  ): AsyncGenerator<string, undefined> {
    const names = new Set(tools.map(({ name }) => name));
    const offered = [...tools, ...pageTools.filter(({ name }) => !names.has(name))];
    const { model, toolModel } = assistant;
    // A model that is made for speech may be no good at tools: it is not even offered them where there is another one.
    const endpoint =
      this.#find(offered.length > 0 && toolModel !== null ? toolModel : model) ?? this.#find(model);
    if (!endpoint) throw new EngineError('no language model is configured');
    const { client, config } = endpoint;
    const stream = await client.chat.completions.create(
      {
        model: config.model,
        temperature: assistant.temperature,
        messages,
        stream: true,
        ...(offered.length > 0 && {
          tools: describeTools(offered),
          tool_choice: mayCall ? 'auto' : 'none',
        }),
      },
      { signal },
    );
    let finished = false;
    for await (const chunk of withSilenceLimit(stream, config.silenceMs)) {
      const choice = chunk.choices[0];
      if (choice?.delta.content) yield choice.delta.content;
      for (const piece of choice?.delta.tool_calls ?? []) calls.add(piece);
      finished ||= choice?.finish_reason != null;
    }
    // A connection that is cut between two events looks like an end.
    if (!finished) throw new EngineError('the language model broke off its answer');
  }
}

/** Where a model answers. */
interface Endpoint {
  client: OpenAI;
  config: LanguageModelConfig;
}

const asEndpoint = (config: LanguageModelConfig): Endpoint => ({
  client: new OpenAI({
    apiKey: config.apiKey ?? noKey,
    baseURL: config.baseUrl ?? null,
    maxRetries: retries,
    timeout: config.silenceMs,
    // It would log requests with their messages.
    logLevel: 'off',
  }),
  config,
});

/** What a model said and called, as it is told so itself in the next round. */
function asMessage(content: string, calls: WrittenCall[]): ChatMessage {
  return {
    role: 'assistant',
    content,
    tool_calls: calls.map(({ id, name, arguments: written }) => ({
      id,
      type: 'function',
      function: { name, arguments: written },
    })),
  };
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
