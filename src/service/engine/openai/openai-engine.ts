import OpenAI from 'openai';
import type { Logger } from 'pino';
import { clientToolLimits } from '../../../contract/client-tool-limits.ts';
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
import { createEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { requestCompletion } from './request-completion.ts';
import type { CompletionRequest } from './request-completion.ts';
import { requestEvaluation } from './request-evaluation.ts';
import { buildPrompt } from './build-prompt.ts';
import type { ChatMessage } from './build-prompt.ts';
import type { ToolCallCollector } from './collect-tool-calls.ts';
import { describeToolRefusal, ToolRefusal, withoutTools } from './function-calling.ts';
import { callLimit, runToolCalls } from './run-tool-calls.ts';
import { isTemporary } from './is-temporary.ts';
import { describeProblem } from './model-problems.ts';
import { ownerReason, publicReason } from './public-reason.ts';
import { sumUsage } from './token-usage.ts';
import type { TokenUsage } from './token-usage.ts';
import { parseObject, toOpenAiTools } from './tool-calls.ts';
import { withoutReasoning } from './without-reasoning.ts';

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
    const endpoints = this.#all;
    const refusals = endpoints.filter(isWithoutTools).map(({ label }) => describeToolRefusal(label));
    return [...endpoints.flatMap(({ problem }) => problem ?? []), ...refusals];
  }

  /**
   * Sends each endpoint a short message, so that a wrong setting is reported before a visitor writes. The result is
   * logged, and a problem is among the warnings unless it is temporary: nothing repeats the test. Never rejects.
   */
  async test(): Promise<void> {
    // One after another, since a local server may have to load each model.
    for (const endpoint of this.#all) await this.#test(endpoint);
  }

  async #test(endpoint: Endpoint): Promise<void> {
    const request: CompletionRequest = {
      messages: [{ role: 'user', content: 'Say hello.' }],
      // The default of every model.
      temperature: 1,
      tools: [],
      toolChoice: 'auto',
      canOmitTools: false,
    };
    const begun = new AbortController();
    try {
      const isLasting = (error: unknown) => !isTemporaryFailure(error);
      await this.#watch(endpoint, requestCompletion(endpoint, request, [], begun.signal), isLasting);
      this.#log.info({ model: endpoint.label }, 'the language model answers');
    } catch (error) {
      this.#log.warn(
        { model: endpoint.label, ...describeFailure(error) },
        isTemporaryFailure(error)
          ? 'the language model does not answer: it may still be starting, or be overloaded'
          : 'the language model failed',
      );
    } finally {
      // The rest of its answer would cost tokens.
      begun.abort();
    }
  }

  get #all(): Endpoint[] {
    return [...(this.#default ? [this.#default] : []), ...this.#endpoints.values()];
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
    const endpoint = this.#choose(request);
    const { temperature } = request.assistant;
    const tools = toOpenAiTools(offeredTools(request));
    const messages = await buildPrompt(request);
    let callCount = 0;
    let hasSpoken = false;
    let rounds = callRounds;
    for (let round = 0; round <= rounds; round++) {
      const toolChoice = round === rounds ? 'none' : 'auto';
      // Later, tools have run, and the visitor has read a part of the answer.
      const canOmitTools = round === 0 && tools.length > 0;
      const asked = { messages, temperature, tools, toolChoice, canOmitTools } as const;
      const completion = await this.#watch(endpoint, requestCompletion(endpoint, asked, usages, signal));
      const deltas: string[] = [];
      try {
        for await (const text of withoutReasoning(completion.read())) {
          // Text before and after a call are separate paragraphs.
          yield { type: 'delta', text: hasSpoken && deltas.length === 0 ? `\n\n${text}` : text };
          deltas.push(text);
        }
      } finally {
        usages.push(completion.usage);
      }
      const { calls } = completion;
      hasSpoken ||= deltas.length > 0;
      if (calls.all.length === 0) return;
      messages.push(toAssistantMessage(deltas.join(''), calls));
      const outcomes = runToolCalls(calls.all, request, callLimit - callCount, signal);
      for await (const { id, event, message, ends } of outcomes) {
        if (event) {
          callCount++;
          yield event;
        }
        // The model may still say goodbye.
        if (ends) rounds = hasSpoken ? round : round + 1;
        messages.push({ role: 'tool', tool_call_id: id, content: message });
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

  /**
   * Notes whether the endpoint has a problem that the operator must solve.
   *
   * @param isRelevant whether an error can be such a problem.
   */
  async #watch<Response>(
    endpoint: Endpoint,
    request: PromiseLike<Response>,
    isRelevant: (error: unknown) => boolean = () => true,
  ): Promise<Response> {
    const number = ++endpoint.requestCount;
    const setProblem = (problem: string | undefined) => {
      // A slow request must not overwrite the outcome of a newer one.
      if (number < endpoint.outcomeOf) return;
      endpoint.outcomeOf = number;
      endpoint.problem = problem;
    };
    try {
      const response = await request;
      setProblem(undefined);
      return response;
    } catch (error) {
      const problem = isRelevant(error) ? describeProblem(endpoint.label, error) : undefined;
      if (problem !== undefined) {
        setProblem(problem);
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
}

/** An assistant's tool precedes a page tool of the same name. */
function offeredTools({ tools, pageTools }: EngineRequest) {
  const names = new Set(tools.map(({ name }) => name));
  return [...tools, ...pageTools.filter(({ name }) => !names.has(name))];
}

const isWithoutTools = ({ withoutToolsUntil }: Endpoint) => Date.now() < withoutToolsUntil;

function isTemporaryFailure(error: unknown): boolean {
  const { status, code } = error as { status?: number; code?: unknown };
  return isTemporary(status, code);
}

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
        name: name.replace(/[^\w-]/g, '_').slice(0, clientToolLimits.toolName.max) || 'unknown',
        // Some servers refuse arguments that are not a JSON object.
        arguments: JSON.stringify(parseObject(written) ?? {}),
      },
      ...(extraContent !== undefined && { extra_content: extraContent }),
    })),
  };
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
