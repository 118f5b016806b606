import { createEngineContext } from '../assistant/engine-context.ts';
import type { EngineContext, EngineContextParts } from '../assistant/engine-context.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { Engine, EngineRequest, ReplyEvent } from '../engine/engine.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { SpokenReply, Speaker } from './call-parts.ts';
import type { CallContextRow } from './claim-call.ts';

interface SpeakerParts extends EngineContextParts {
  engine: Engine;
  speaker: CallContextRow;
  variables: StoredVariables;
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
}

/** Longest reply in UTF-16 code units: more than can be spoken in the longest call. */
const maxReplyLength = 20_000;

/** Number of the latest transcript lines that the engine receives. */
const historyLimit = 40;

const spokenStyle =
  'You are on the phone: what you say is read aloud, so keep it short and use no formatting.';

/** Used if the assistant has no `reengagement_prompt`. */
const defaultReengagement = 'Ask in one short sentence whether they are still there.';

/** Generates an assistant's replies in a call, with the same engine as in chats. */
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

  answer(said: string, before: readonly CallMessage[], signal: AbortSignal): Promise<SpokenReply> {
    return this.#ask(this.#request(said, before, spokenStyle), signal);
  }

  reengage(before: readonly CallMessage[], signal: AbortSignal): Promise<SpokenReply> {
    const instruction = `${spokenStyle}\n\nThe customer has been silent for a while. ${this.#reengagement}`;
    return this.#ask({ ...this.#request('…', before, instruction), isSilence: true }, signal);
  }

  #request(message: string, before: readonly CallMessage[], instruction: string): EngineRequest {
    const { assistant, ...rest } = this.#context;
    return {
      ...rest,
      isSpoken: true,
      assistant: { ...assistant, systemPrompt: `${assistant.systemPrompt}\n\n${instruction}`.trim() },
      history: before
        .slice(-historyLimit)
        .map(({ role, content, functionCalls = [] }) => ({ role, content, toolResults: [], functionCalls })),
      message,
      toolResults: [],
      pageTools: [],
    };
  }

  async #ask(request: EngineRequest, callSignal: AbortSignal): Promise<SpokenReply> {
    const signal = AbortSignal.any([callSignal, AbortSignal.timeout(this.#replyMs)]);
    const reply: SpokenReply & { functionCalls: NonNullable<CallMessage['functionCalls']> } = {
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
        const number = transferDestination(event);
        if (number !== undefined) reply.transferTo = number;
      }
      if (reply.text.length >= maxReplyLength) break;
    }
    return { ...reply, text: reply.text.slice(0, maxReplyLength) };
  }
}

/** The destination of a call transfer, if the tool call was one. */
function transferDestination(event: Extract<ReplyEvent, { type: 'function_call' }>): string | undefined {
  if (event.name !== 'call_transfer' || typeof event.result !== 'object' || event.result === null)
    return undefined;
  const number = (event.result as { transferred_to?: unknown }).transferred_to;
  return typeof number === 'string' && number !== '' ? number : undefined;
}
