import type OpenAI from 'openai';
import type { WrittenCall } from './written-call.ts';

type CallDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall;

/** Longest name or arguments that are collected, in UTF-16 code units. What is longer is refused later anyway. */
const collectedLength = 10_000;

/** Calls of one round that are collected. */
const collectedCalls = 32;

/** Puts the calls of tools together that a model streams in pieces. */
export class CollectedCalls {
  readonly #calls = new Map<number, WrittenCall>();

  get all(): WrittenCall[] {
    return [...this.#calls.values()];
  }

  add(piece: CallDelta): void {
    // Some servers leave out the place, and send each call whole; others leave out the ID.
    const place = (piece.index as number | undefined) ?? this.#calls.size;
    const known = this.#calls.get(place);
    if (!known && this.#calls.size >= collectedCalls) return;
    const call = known ?? { id: piece.id ?? `call_${place}`, name: '', arguments: '' };
    call.name = (call.name + (piece.function?.name ?? '')).slice(0, collectedLength);
    call.arguments = (call.arguments + (piece.function?.arguments ?? '')).slice(0, collectedLength);
    this.#calls.set(place, call);
  }
}
