import OpenAI from 'openai';
import type { Logger } from 'pino';
import { toolLimits } from '../../../contract/limits.ts';
import { EngineError } from '../engine.ts';
import type { LanguageModelConfig, ModelConfig } from '../read-models.ts';
import type {
  Engine,
  EngineRequest,
  Evaluation,
  EvaluationRequest,
  ModelUsage,
  ReplyEvent,
} from '../engine.ts';
import { createEndpoint, sendAdapted } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { alternateRoles } from './alternate-roles.ts';
import { requestEvaluation } from './request-evaluation.ts';
import { buildPrompt } from './build-prompt.ts';
import type { ChatMessage } from './build-prompt.ts';
import { ToolCallCollector } from './collect-tool-calls.ts';
import { describeToolRefusal, ToolRefusal, withoutTools } from './function-calling.ts';
import { callLimit, runToolCalls } from './run-tool-calls.ts';
import { describeProblem } from './model-problems.ts';
import { ownerReason, publicReason } from './public-reason.ts';
import { sumUsage, tokenUsage } from './token-usage.ts';
import type { TokenUsage } from './token-usage.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import { parseObject, toOpenAiTools } from './tool-calls.ts';
import { textOf, withoutReasoning } from './without-reasoning.ts';
import type { ResponseContent } from './without-reasoning.ts';

/** Rounds of tool calls in one reply. Then the model has to answer with text. */
export const callRounds = 4;

/** How long a model that has refused tools is not offered them. Its server may only have lacked a setting. */
const refusalMs = 15 * 60_000;

/** Answers with language models whose endpoints speak OpenAI's chat completions protocol. */
export class OpenAiEngine implements Engine {
  readonly #default: Endpoint | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #log: Logger;
  readonly #recordUsage: (usage: ModelUsage) => Promise<void>;

  /**
   * @param defaultConfig answers for models without an endpoint.
   * @param recordUsage is called after each reply and evaluation; it must not throw.
   */
  constructor(
    defaultConfig: LanguageModelConfig | undefined,
    models: ModelConfig[],
    log: Logger,
    recordUsage: (usage: ModelUsage) => Promise<void>,
  ) {
    this.#default = defaultConfig && createEndpoint(defaultConfig);
    for (const { code, endpoint } of models) {
      if (endpoint) this.#endpoints.set(code, createEndpoint(endpoint, code));
    }
    this.#log = log;
    this.#recordUsage = recordUsage;
  }

  /** Whether it can answer for a model; null is the default model. */
  has(model: string | null): boolean {
    return this.#find(model) !== undefined;
  }

  /** A sentence for each thing that the operator should know about a model, without address and key. */
  get warnings(): string[] {
    const endpoints = [...(this.#default ? [this.#default] : []), ...this.#endpoints.values()];
    const refusals = endpoints.filter(isWithoutTools).map(({ label }) => describeToolRefusal(label));
    return [...endpoints.flatMap(({ problem }) => problem ?? []), ...refusals];
  }

  #find(model: string | null): Endpoint | undefined {
    return (model === null ? undefined : this.#endpoints.get(model)) ?? this.#default;
  }

  async *reply(request: EngineRequest, signal: AbortSignal): AsyncGenerator<ReplyEvent, undefined> {
    const usages: TokenUsage[] = [];
    try {
      yield* this.#answerAdapted(request, usages, signal);
    } catch (error) {
      throw this.#toEngineError(error, signal);
    } finally {
      // Also of replies that failed or were stopped: their tokens cost, too.
      await this.#record('reply', request.assistant.uuid, usages);
    }
  }

  /** Answers; without tools if the model refuses them, which it does before the first word. */
  async *#answerAdapted(
    request: EngineRequest,
    usages: TokenUsage[],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyEvent, undefined> {
    const endpoint = this.#choose(request);
    let refusal: ToolRefusal | undefined;
    try {
      if (!isWithoutTools(endpoint)) return yield* this.#answer(request, usages, signal);
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
      refusal = error;
    }
    for await (const event of this.#answer(withoutTools(request), usages, signal)) {
      // Only now is it certain that the tools were the reason.
      if (refusal) {
        endpoint.withoutToolsUntil = Date.now() + refusalMs;
        this.#log.warn(refusal.message);
        refusal = undefined;
      }
      yield event;
    }
  }

  async *#answer(
    request: EngineRequest,
    usages: TokenUsage[],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyEvent, undefined> {
    const messages = await buildPrompt(request);
    let callCount = 0;
    let hasSpoken = false;
    let rounds = callRounds;
    for (let round = 0; round <= rounds; round++) {
      const deltas: string[] = [];
      const calls = new ToolCallCollector();
      const position = { isFirst: round === 0, isLast: round === rounds };
      const response = this.#streamResponse(request, messages, position, calls, usages, signal);
      for await (const text of withoutReasoning(response)) {
        // Text before and after a call are separate paragraphs.
        yield { type: 'delta', text: hasSpoken && deltas.length === 0 ? `\n\n${text}` : text };
        deltas.push(text);
      }
      hasSpoken ||= deltas.length > 0;
      if (calls.all.length === 0) return;
      messages.push(toAssistantMessage(deltas.join(''), calls));
      const outcomes = runToolCalls(calls.all, request, callLimit - callCount, signal);
      for (const [index, outcome] of outcomes.entries()) {
        const { event, message, ends } = await outcome;
        if (event) {
          callCount++;
          yield event;
        }
        // The model may still say goodbye.
        if (ends) rounds = hasSpoken ? round : round + 1;
        messages.push({ role: 'tool', tool_call_id: calls.all[index]?.id ?? '', content: message });
      }
    }
  }

  async evaluate(request: EvaluationRequest, signal: AbortSignal): Promise<Evaluation> {
    const usages: TokenUsage[] = [];
    try {
      const endpoint = this.#find(request.model);
      if (!endpoint) throw new EngineError('no language model is configured');
      return await this.#watch(endpoint, requestEvaluation(endpoint, request, usages, signal));
    } catch (error) {
      throw this.#toEngineError(error, signal);
    } finally {
      await this.#record('evaluation', request.assistant, usages);
    }
  }

  async #record(purpose: ModelUsage['purpose'], assistant: string, usages: TokenUsage[]): Promise<void> {
    const used = sumUsage(usages);
    if (!used) return;
    const usage = { assistant, purpose, ...used };
    this.#log.info(usage, 'tokens of a model');
    await this.#recordUsage(usage);
  }

  /** Returns the error for the caller: engine errors and aborts as they are, others with a reason for the visitor. */
  #toEngineError(error: unknown, signal: AbortSignal): unknown {
    if (error instanceof EngineError || signal.aborted) return error;
    this.#log.warn(describeFailure(error), 'the language model failed');
    return new EngineError(publicReason(error), { cause: error, ownerReason: ownerReason(error) });
  }

  /** Notes whether the endpoint has a problem that the operator must solve. */
  async #watch<Response>(endpoint: Endpoint, request: PromiseLike<Response>): Promise<Response> {
    try {
      const response = await request;
      endpoint.problem = undefined;
      return response;
    } catch (error) {
      const problem = describeProblem(endpoint.label, error);
      if (problem !== undefined) {
        endpoint.problem = problem;
        this.#log.error(problem);
      }
      throw error;
    }
  }

  /**
   * Returns the endpoint of the model that answers. A speech model may be bad at tools, so it is offered them only if
   * there is no tool model.
   *
   * @throws EngineError if there is none.
   */
  #choose({ assistant: { model, toolModel }, tools, pageTools }: EngineRequest): Endpoint {
    const hasTools = tools.length > 0 || pageTools.length > 0;
    const endpoint = this.#find(hasTools && toolModel !== null ? toolModel : model) ?? this.#find(model);
    if (!endpoint) throw new EngineError('no language model is configured');
    return endpoint;
  }

  /** Sends one request: yields the text and collects the tool calls. */
  async *#streamResponse(
    asked: EngineRequest,
    messages: ChatMessage[],
    { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
    calls: ToolCallCollector,
    usages: TokenUsage[],
    signal: AbortSignal,
  ): AsyncGenerator<string, undefined> {
    const { assistant, pageTools, tools } = asked;
    const names = new Set(tools.map(({ name }) => name));
    const offered = [...tools, ...pageTools.filter(({ name }) => !names.has(name))];
    const endpoint = this.#choose(asked);
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
          ...(offered.length > 0 && {
            tools: toOpenAiTools(offered),
            tool_choice: isLast ? 'none' : 'auto',
          }),
        },
        { signal },
      );
    // Later, tools have run, and the visitor has read a part of the answer.
    const canOmitTools = isFirst && offered.length > 0;
    const request = sendAdapted(endpoint, assistant.temperature, send, canOmitTools);
    const stream = await this.#watch(endpoint, request);
    let finished = false;
    let reported: OpenAI.CompletionUsage | null | undefined;
    let outputCharacters = 0;
    try {
      for await (const chunk of withIdleTimeout(stream, config.idleTimeoutMs)) {
        // Some gateways send chunks without choices.
        const choice = (chunk.choices as typeof chunk.choices | undefined)?.[0];
        reported = chunk.usage ?? reported;
        finished ||= choice?.finish_reason != null;
        // Results of a content filter have none.
        const delta: Partial<ResponseDelta> = choice?.delta ?? {};
        const { tool_calls: callDeltas, content, reasoning_content: reasoning } = delta;
        for (const callDelta of callDeltas ?? []) {
          calls.add(callDelta);
          outputCharacters += callDelta.function?.arguments?.length ?? 0;
        }
        if (reasoning) calls.addReasoning(reasoning);
        const text = textOf(content);
        outputCharacters += text.length + (reasoning ?? delta.reasoning ?? '').length;
        if (text !== '') yield text;
      }
    } finally {
      usages.push(tokenUsage(config, reported, messages, outputCharacters));
    }
    // A connection that is cut between two events looks like a normal end.
    if (!finished) throw new EngineError('the language model ended its answer early');
  }
}

const isWithoutTools = ({ withoutToolsUntil }: Endpoint) => Date.now() < withoutToolsUntil;

type ResponseDelta = Omit<OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta, 'content'> & {
  content?: ResponseContent;
  /** The model's reasoning, from DeepSeek and other servers. */
  reasoning_content?: string | null;
  /** The same from newer versions of vLLM, and from Groq and Cerebras. */
  reasoning?: string | null;
};

/** The model's response as a message for the next round, with the fields that the model may require back. */
function toAssistantMessage(content: string, { all, reasoning }: ToolCallCollector): ChatMessage {
  return {
    role: 'assistant',
    content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    tool_calls: all.map(({ id, name, arguments: written, extraContent }) => ({
      id,
      type: 'function',
      function: {
        // Models invent names such as `multi_tool_use.parallel`, which OpenAI refuses in a request.
        name: name.replace(/[^\w-]/g, '_').slice(0, toolLimits.toolName.max) || 'unknown',
        // Some servers refuse arguments that are not a JSON object.
        arguments: JSON.stringify(parseObject(written) ?? {}),
      },
      ...(extraContent !== undefined && { extra_content: extraContent }),
    })),
  };
}

/** DeepSeek requires the field in every answer, also if it is empty; some other servers refuse it. */
function adaptReasoning(message: ChatMessage, isRequired: boolean): ChatMessage {
  const { reasoning_content: reasoning = '', ...others } = message;
  return isRequired && message.role === 'assistant' ? { ...others, reasoning_content: reasoning } : others;
}

/** Describes an error without its message, which can quote the key or the prompt. */
function describeFailure(error: unknown): {
  failure: string;
  status?: number;
  code?: string;
  requestId?: string;
} {
  if (!(error instanceof OpenAI.APIError))
    return { failure: error instanceof Error ? error.name : typeof error };
  const { status, requestID, code } = error as {
    status?: number;
    requestID?: string | null;
    /** A word by its protocol; some servers repeat the status. */
    code?: unknown;
  };
  return {
    failure: error.constructor.name,
    ...(status === undefined ? {} : { status }),
    ...(typeof code === 'string' && /^\w{1,64}$/.test(code) ? { code } : {}),
    ...(requestID == null ? {} : { requestId: requestID }),
  };
}
