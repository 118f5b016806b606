import type OpenAI from 'openai';
import { parseObject } from './tool-calls.ts';
import type { ToolCall } from './tool-calls.ts';

type CallDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall & {
  extra_content?: unknown;
};

/** Longest name or arguments, in UTF-16 code units. The check of the arguments refuses shorter ones already. */
const textLimit = 10_000;

/** Most tool calls of one response. */
const maxCalls = 32;

/** Longest reasoning, in UTF-16 code units. */
const reasoningLimit = 200_000;

/** Joins the deltas of streamed tool calls, and of the reasoning before them. */
export class ToolCallCollector {
  readonly all: ToolCall[] = [];
  reasoning = '';
  readonly #latest = new Map<number, ToolCall>();

  add(delta: CallDelta): void {
    // Some servers omit the index and send each call whole; others omit the id or send an empty one.
    const index = (delta.index as number | undefined) ?? this.all.length;
    const call = this.#find(index, delta) ?? this.#begin(index, delta);
    if (!call) return;
    call.name = (call.name + (delta.function?.name ?? '')).slice(0, textLimit);
    call.extraContent = delta.extra_content ?? call.extraContent;
    call.arguments = (call.arguments + (delta.function?.arguments ?? '')).slice(0, textLimit);
  }

  addReasoning(text: string): void {
    this.reasoning = (this.reasoning + text).slice(0, reasoningLimit);
  }

  #find(index: number, { id, function: { name } = {} }: CallDelta): ToolCall | undefined {
    const known = this.#latest.get(index);
    // Some servers give every call the index 0, and some of them no id.
    const isNext = known && name && (id ? id !== known.id : known.arguments && parseObject(known.arguments));
    return isNext ? undefined : known;
  }

  #begin(index: number, { id }: CallDelta): ToolCall | undefined {
    this.#latest.delete(index);
    if (this.all.length >= maxCalls) return undefined;
    const call: ToolCall = { id: id || `call_${this.all.length}`, name: '', arguments: '' };
    this.#latest.set(index, call);
    this.all.push(call);
    return call;
  }
}
