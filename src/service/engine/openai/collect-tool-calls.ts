import type OpenAI from 'openai';
import type { ToolCall } from './tool-calls.ts';

type CallDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall;

/** Longest name or arguments, in UTF-16 code units. The check of the arguments refuses shorter ones already. */
const textLimit = 10_000;

/** Most tool calls of one response. */
const callLimit = 32;

/** Joins the deltas of streamed tool calls. */
export class ToolCallCollector {
  readonly #calls = new Map<number, ToolCall>();

  get all(): ToolCall[] {
    return [...this.#calls.values()];
  }

  add(delta: CallDelta): void {
    // Some servers omit the index and send each call whole; others omit the id.
    const index = (delta.index as number | undefined) ?? this.#calls.size;
    const known = this.#calls.get(index);
    if (!known && this.#calls.size >= callLimit) return;
    const call = known ?? { id: delta.id ?? `call_${index}`, name: '', arguments: '' };
    call.name = (call.name + (delta.function?.name ?? '')).slice(0, textLimit);
    call.arguments = (call.arguments + (delta.function?.arguments ?? '')).slice(0, textLimit);
    this.#calls.set(index, call);
  }
}
