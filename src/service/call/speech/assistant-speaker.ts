import { createEngineContext } from '../../assistant/engine-context.ts';
import type { EngineContext, EngineContextDependencies } from '../../assistant/engine-context.ts';
import { fillPrompt } from '../../assistant/fill-prompt.ts';
import type { Database } from '../../db/database.ts';
import type { StoredVariables } from '../../db/schema.ts';
import type { Engine, EngineRequest, EngineTool } from '../../engine/engine.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import { systemText } from '../../engine/openai/build-prompt.ts';
import type { TurnReason, ReplyPart, Speaker, SpeakerOptions } from '../../voice/line.ts';
import { unknownWords } from '../../voice/words.ts';
import type { WebPlan } from '../start/plan-web-call.ts';
import { contextMessages, readWrittenHistory } from './read-written-history.ts';
import type { WrittenMessage } from './read-written-history.ts';
import type { CallContextRow } from '../start/plan-call.ts';

interface SpeakerDependencies extends EngineContextDependencies {
  engine: Engine;
  callContext: CallContextRow;
  variables: StoredVariables;
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
  web?: WebPlan | undefined;
}

const rules = 'what you say is read aloud, so keep it short and use no formatting.';

const styles = {
  phone: `You are on the phone: ${rules} “[pressed 12]” means that the customer pressed these keys.`,
  web: `You are in a voice call on a website: ${rules} The customer can also write to you.`,
} as const;

const askToRepeat =
  'The customer said something that could not be understood. Ask them in one short sentence to repeat it.';

/** Used if the assistant has no `reengagement_prompt`. */
const defaultReengagement = 'Ask in one short sentence whether they are still there.';

/** The variables whose values come from the assistant's owner: those of a web call also come from the page. */
const trustedVariables = ({ callContext, variables, web }: SpeakerDependencies) =>
  web ? callContext.assistant.variables : variables;

/** Generates an assistant's replies in a call, with the same engine as in chats. */
export class AssistantSpeaker implements Speaker {
  readonly #engine: Engine;
  readonly #context: EngineContext;
  readonly #instructions: Readonly<Record<TurnReason, string>>;
  readonly #replyMs: number;
  readonly #style: string;
  readonly #web: WebPlan | undefined;
  readonly #database: Database;

  private constructor(dependencies: SpeakerDependencies, context: EngineContext) {
    const { database, engine, callContext, variables, replyMs, web } = dependencies;
    this.#engine = engine;
    this.#context = context;
    const template = callContext.assistant.reengagementPrompt ?? '';
    const prompt = fillPrompt(template, variables, trustedVariables(dependencies)).text.trim();
    this.#instructions = {
      silence: `The customer has been silent for a while. ${prompt === '' ? defaultReengagement : prompt}`,
      'transfer-unanswered':
        'You transferred the customer, but nobody answered there, so you are on the phone again. Say so in one short sentence and offer your help.',
      reconnected:
        'The connection was lost for a moment. Apologize in one short sentence and continue where you were.',
    };
    this.#replyMs = replyMs;
    this.#style = web ? styles.web : styles.phone;
    this.#web = web;
    this.#database = database;
  }

  static async prepare(dependencies: SpeakerDependencies): Promise<AssistantSpeaker> {
    return new AssistantSpeaker(
      dependencies,
      await createEngineContext(
        dependencies,
        dependencies.callContext,
        dependencies.variables,
        'call',
        trustedVariables(dependencies),
      ),
    );
  }

  /** Returns the context for a realtime model. It has no knowledge passages: the model searches for them. */
  speakerOptions(history: SpeakerOptions['history']): Omit<SpeakerOptions, 'recordUsage'> {
    const request = this.#request('', [], this.#style);
    return {
      instructions: systemText(request),
      turnInstructions: this.#instructions,
      tools: request.tools,
      history: history.slice(-contextMessages),
      replyMs: this.#replyMs,
    };
  }

  async *answer(
    said: string,
    before: readonly CallMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyPart> {
    const history = await this.#history(before, said);
    const instruction = said === unknownWords ? `${this.#style}\n\n${askToRepeat}` : this.#style;
    yield* this.#ask(this.#request(said, history, instruction), signal);
  }

  async *startTurn(
    reason: TurnReason,
    before: readonly CallMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<ReplyPart> {
    const instruction = `${this.#style}\n\n${this.#instructions[reason]}`;
    const history = await this.#history(before);
    yield* this.#ask({ ...this.#request('…', history, instruction), isSilence: true }, signal);
  }

  /**
   * In web calls, messages may be written during the call: in another tab, or while the line is lost. The stored
   * messages also contain those of the call.
   *
   * @param said the message to answer, which is excluded from the history.
   */
  async #history(before: readonly CallMessage[], said?: string): Promise<readonly WrittenMessage[]> {
    if (!this.#web) return before;
    try {
      const { db } = this.#database;
      const written = await readWrittenHistory(db, this.#web.conversationId);
      const latest = written.findLastIndex(
        ({ role, content }) => role === 'user' && content === said?.trim(),
      );
      return said === undefined ? written : written.filter((_, index) => index !== latest);
    } catch {
      // The call continues while the database is unavailable.
      return [...this.#web.history, ...before];
    }
  }

  #request(message: string, before: readonly WrittenMessage[], instruction: string): EngineRequest {
    const { assistant, ...rest } = this.#context;
    return {
      ...rest,
      isSpoken: true,
      assistant: { ...assistant, systemPrompt: `${assistant.systemPrompt}\n\n${instruction}`.trim() },
      history: before
        .slice(-contextMessages)
        .map(({ role, content, functionCalls = [] }) => ({ role, content, toolResults: [], functionCalls })),
      message,
      toolResults: [],
      pageTools: [],
    };
  }

  async *#ask(request: EngineRequest, callSignal: AbortSignal): AsyncGenerator<ReplyPart> {
    const limit = AbortSignal.timeout(this.#replyMs);
    const signal = AbortSignal.any([callSignal, limit]);
    // A tool that has been called may have had its effect, so it is not stopped, and its call is yielded.
    const tools = request.tools.map((tool): EngineTool => ({
      ...tool,
      run: async (given) => {
        signal.throwIfAborted();
        return tool.run(given, limit);
      },
    }));
    for await (const event of this.#engine.reply({ ...request, tools }, signal)) {
      if (event.type === 'delta') {
        signal.throwIfAborted();
        yield { type: 'text', text: event.text };
      } else {
        const { type, ...call } = event;
        yield { type, call };
      }
    }
  }
}
