import { createEngineContext } from '../assistant/engine-context.ts';
import type { EngineContext, EngineContextParts } from '../assistant/engine-context.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { Engine, EngineRequest, ReplyEvent } from '../engine/engine.ts';
import type { CallLine } from '../db/calls-table.ts';
import type { SpokenReply, Speaker } from './call-parts.ts';
import type { CallContextRow } from './claim-call.ts';

interface SpeakerParts extends EngineContextParts {
  engine: Engine;
  speaker: CallContextRow;
  variables: StoredVariables;
  /** Longest time for one reply. */
  replyMs: number;
}

/** Longest thing that is said in one go, in UTF-16 code units: more than the longest call holds. */
const replyLength = 20_000;

/** Lines of a call that an engine gets at most. */
const historyLines = 40;

const spoken = 'You are on the phone: what you say is read aloud, so keep it short and use no formatting.';

/** What a language model is told when the assistant has no `reengagement_prompt`. */
const defaultReengagement = 'Ask in one short sentence whether they are still there.';

/** Lets an assistant talk on the phone: the same engine as in a chat, told that its words are spoken. */
export class AssistantSpeaker implements Speaker {
  readonly #engine: Engine;
  readonly #context: EngineContext;
  readonly #reengagement: string;
  readonly #replyMs: number;

  private constructor({ engine, speaker, variables, replyMs }: SpeakerParts, context: EngineContext) {
    this.#engine = engine;
    this.#context = context;
    const prompt = fillVariables(speaker.assistant.reengagementPrompt ?? '', variables).trim();
    this.#reengagement = prompt === '' ? defaultReengagement : prompt;
    this.#replyMs = replyMs;
  }

  static async prepare(parts: SpeakerParts): Promise<AssistantSpeaker> {
    return new AssistantSpeaker(
      parts,
      await createEngineContext(parts, parts.speaker, parts.variables, 'call'),
    );
  }

  answer(said: string, before: readonly CallLine[], signal: AbortSignal): Promise<SpokenReply> {
    return this.#ask(this.#request(said, before, spoken), signal);
  }

  breakSilence(before: readonly CallLine[], signal: AbortSignal): Promise<SpokenReply> {
    const instruction = `${spoken}\n\nThe customer has been silent for a while. ${this.#reengagement}`;
    return this.#ask({ ...this.#request('…', before, instruction), isSilence: true }, signal);
  }

  #request(message: string, before: readonly CallLine[], instruction: string): EngineRequest {
    const { assistant, ...rest } = this.#context;
    return {
      ...rest,
      isSpoken: true,
      assistant: { ...assistant, systemPrompt: `${assistant.systemPrompt}\n\n${instruction}`.trim() },
      history: before
        .slice(-historyLines)
        .map(({ role, content, functionCalls = [] }) => ({ role, content, toolResults: [], functionCalls })),
      message,
      toolResults: [],
      pageTools: [],
    };
  }

  async #ask(request: EngineRequest, callSignal: AbortSignal): Promise<SpokenReply> {
    const signal = AbortSignal.any([callSignal, AbortSignal.timeout(this.#replyMs)]);
    const reply: SpokenReply & { functionCalls: NonNullable<CallLine['functionCalls']> } = {
      text: '',
      hangUp: false,
      functionCalls: [],
    };
    for await (const event of this.#engine.reply(request, signal)) {
      signal.throwIfAborted();
      if (event.type === 'delta') reply.text += event.text;
      else {
        reply.functionCalls.push({ name: event.name, arguments: event.arguments, result: event.result });
        if (event.name === 'end_call') reply.hangUp = true;
        const number = transferredTo(event);
        if (number !== undefined) reply.transferTo = number;
      }
      if (reply.text.length >= replyLength) break;
    }
    return { ...reply, text: reply.text.slice(0, replyLength) };
  }
}

/** The number that a call of the built-in tool goes on to, if it is one of the assistant's. */
function transferredTo(event: Extract<ReplyEvent, { type: 'function_call' }>): string | undefined {
  if (event.name !== 'call_transfer' || typeof event.result !== 'object' || event.result === null)
    return undefined;
  const number = (event.result as { transferred_to?: unknown }).transferred_to;
  return typeof number === 'string' && number !== '' ? number : undefined;
}
