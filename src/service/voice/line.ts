import type { EndReason } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { EngineTool, ModelUsage } from '../engine/engine.ts';
import type { AmbientSound } from './ambience/ambient-sound.ts';

/** Why a line is hung up: the `end_reason` of the call, or because another process or request has ended or taken it. */
export type HangUpReason = EndReason | 'stopped' | 'lease-lost';

/** How an assistant speaks and listens. `docs/calls.md` has a table of the settings that a carrier does not support. */
export interface SpeechSettings {
  /** Two-letter code (ISO 639-1). */
  language: string;
  /** Other languages that the customer may speak. */
  otherLanguages?: readonly string[] | undefined;
  /** The voice and its provider; undefined: the default voice of the language. */
  voice?: { provider: string; name: string; gender?: string; accent?: string } | undefined;
  /** The assistant's voice, for synthesizers without it. */
  similarTo?: { gender: string; accent: string } | undefined;
  /** Code of the synthesis provider. The provider of `voice` takes precedence. */
  synthesizer?: string | null;
  /** Code of the transcription provider. */
  transcriber?: string | null;
  /** 0.7 to 1.2; 1 is normal. */
  speed: number;
  allowInterruptions: boolean;
  /** Words that the customer must say to interrupt; 0 means any sound. */
  minInterruptWords: number;
  /** 0 to 1. */
  interruptSensitivity: number;
  endpointType: string;
  /** 0 to 1. A higher value ends the customer's turn after a shorter pause. */
  endpointSensitivity: number;
  /** Background sound of the whole call, on lines whose audio the service produces. */
  ambientSound?: AmbientSound | undefined;
}

/** The assistant settings that a line needs. */
export interface LinePlan {
  /** UUID of the assistant. */
  assistant: string;
  /**
   * With `multimodal`, the customer talks to a realtime model. With `dualplex`, the realtime model writes the text that
   * a synthesizer speaks. A carrier that passes no audio to the service treats both as `pipeline`.
   */
  mode: 'pipeline' | 'multimodal' | 'dualplex';
  /** Code of the realtime model; null if there is none. */
  model: string | null;
  speech: SpeechSettings;
}

/** An event of a line. They are in order, and `ended` is final. */
export type LineEvent =
  /** The customer spoke for `seconds`, until `endedAt` on the line's clock. The event follows after transcription. */
  | { type: 'said'; text: string; seconds: number; endedAt: number }
  /** The customer pressed a key: `0` to `9`, `*` or `#`. */
  | { type: 'dtmf'; digit: string }
  /** The customer hung up, or the connection was lost. */
  | { type: 'ended'; by: 'customer' | 'connection' }
  /** The service ended the line from outside the conversation; `reason` is the call's `end_reason`. */
  | { type: 'ended'; by: 'service'; reason: EndReason };

/** The result of speaking a text. */
export interface Spoken {
  /** The text that the customer heard: all of it, or the beginning up to an interruption. */
  played: string;
  /** Time on the line's clock when the first word was spoken; undefined if none was. */
  startedAt: number | undefined;
  /** Why the text was cut off; `signal` means by the service. `next` returns the customer's event. */
  cutOffBy?: 'customer' | 'end' | 'time' | 'signal' | undefined;
  /** Time on the line's clock when it first paused for a sound of the customer; absent if it did not. */
  pausedAt?: number;
  /** The error that stopped the speech; absent if there was none. */
  error?: Error;
}

/** A connected call. It belongs to the process that the carrier connected to. */
export interface Line {
  /** Seconds on the line's own clock. */
  readonly now: number;
  /** Time on the line's clock when the customer was last heard: `now` while they speak, undefined if never. */
  readonly customerSpokeAt: number | undefined;
  /** Whether the line has ended, so that nothing can be said. `next` may still return earlier events. */
  readonly hasEnded: boolean;
  /** Returns the next event, or undefined if there is none within `seconds`. */
  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined>;
  /**
   * Speaks a streamed text. Resolves when it has been heard or cut off. If it is cut off, `return` of the text's
   * iterator is called, so that the model can stop. An empty chunk makes the line speak the text so far without waiting
   * for more.
   *
   * @param text must not throw.
   * @param seconds the text is cut off after this time.
   * @param signal also cuts the text off.
   * @throws the reason of the signal if it is already aborted.
   */
  say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken>;
  /** Sends keys: `0` to `9`, `*`, `#`, and `w` for half a second of pause. */
  sendDigits(digits: string): Promise<void>;
  /** Hands the call back: the carrier ends this line and asks {@link CallHandler.onDisconnected} for the next step. */
  leave(): Promise<void>;
  /**
   * Ends the call; does nothing if it has ended.
   *
   * @param reason for a line that can show it.
   */
  hangUp(reason?: HangUpReason): Promise<void>;
  /**
   * Set if the line's clock is simulated: runs an action at a time on it, also while the line speaks. The clock stands
   * still during the action. The action must not throw.
   *
   * @returns a function that cancels it.
   */
  at?(time: number, action: () => Promise<void>): () => void;
  /**
   * Set if the line has its own model, which then speaks instead of the assistant's engine.
   *
   * @throws EngineError if the model is not available.
   */
  openSpeaker?(options: SpeakerOptions): Promise<Speaker>;
}

/** A part of a reply, in order. */
export type ReplyPart = { type: 'text'; text: string } | { type: 'function_call'; call: StoredFunctionCall };

/** Why the assistant speaks unprompted. */
export type TurnReason =
  | 'silence'
  /** The number that the customer was transferred to did not answer. */
  | 'transfer-unanswered'
  /** The connection was lost for a moment. */
  | 'reconnected';

/** Generates the assistant's replies, part by part. */
export interface Speaker {
  /** @param before the transcript before `said`. */
  answer(said: string, before: readonly CallMessage[], signal: AbortSignal): AsyncIterable<ReplyPart>;
  startTurn(
    reason: TurnReason,
    before: readonly CallMessage[],
    signal: AbortSignal,
  ): AsyncIterable<ReplyPart>;
}

/** The context that a line's own model needs to speak for an assistant. */
export interface SpeakerOptions {
  /** The system prompt, with the rules for speech. */
  instructions: string;
  /** Instructions for speaking unprompted. */
  turnInstructions: Readonly<Record<TurnReason, string>>;
  tools: EngineTool[];
  /** The messages before this line. */
  history: readonly Pick<CallMessage, 'role' | 'content' | 'functionCalls'>[];
  /** Whether the assistant's greeting, not the model, answers the customer's first words. Default: false. */
  isGreetingDue?: boolean;
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
  /**
   * Called after each reply, also after those that failed or were stopped, and after each transcription. It must not
   * throw.
   */
  recordUsage: (usage: Omit<ModelUsage, 'assistant'>) => void;
}
