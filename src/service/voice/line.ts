import type { EndReason } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { EngineTool, ModelUsage } from '../engine/engine.ts';
import type { AmbientSound } from './ambience/ambient-sound.ts';

/** Why a line is hung up: the `end_reason` of the call, or because another process or request has ended or taken it. */
export type HangUpReason = EndReason | 'stopped' | 'lease-lost';

/** How an assistant speaks and listens. A carrier applies what it can; `docs/` has a table of what it cannot. */
export interface SpeechSettings {
  /** Two-letter code (ISO 639-1). */
  language: string;
  /** Languages that the customer may change to. */
  otherLanguages?: readonly string[] | undefined;
  /** The voice at its provider; undefined means the carrier's own for the language. */
  voice?: { provider: string; name: string } | undefined;
  /** The code of the provider that speaks, unless that of the voice does. */
  synthesizer?: string | null;
  /** The code of the provider that transcribes. */
  transcriber?: string | null;
  /** 0.7 to 1.2; 1 is normal. */
  speed: number;
  allowInterruptions: boolean;
  /** Words that the customer must say to interrupt; 0 means any sound. */
  minInterruptWords: number;
  /** 0 to 1. */
  interruptSensitivity: number;
  endpointType: string;
  /** 0 to 1: how soon a pause counts as the end of what the customer says. */
  endpointSensitivity: number;
  /** Played under the whole call by lines whose sound the service makes. */
  ambientSound?: AmbientSound | undefined;
}

/** What a line must know of the assistant that talks on it. */
export interface LinePlan {
  /** UUID of the assistant. */
  assistant: string;
  /**
   * With `multimodal`, the customer talks to a realtime model; with `dualplex`, that model writes what another voice says.
   * A carrier that has no sound for the service treats both like `pipeline`.
   */
  mode: 'pipeline' | 'multimodal' | 'dualplex';
  /** The code of the realtime model; null if there is none. */
  model: string | null;
  speech: SpeechSettings;
}

/** What happens on a line, in order. `ended` is final. */
export type LineEvent =
  /** The customer said something, in `seconds`, up to `endedAt` on the line's clock. It is understood only later. */
  | { type: 'said'; text: string; seconds: number; endedAt: number }
  /** The customer pressed a key: `0` to `9`, `*` or `#`. */
  | { type: 'dtmf'; digit: string }
  /** The customer hung up, or the connection was lost. */
  | { type: 'ended'; by: 'customer' | 'connection' }
  /** The service ended it from outside the conversation; `reason` as in `end_reason` of the call. */
  | { type: 'ended'; by: 'service'; reason: EndReason };

/** What became of a text that was spoken. */
export interface Spoken {
  /** What the customer heard of it: all, or the beginning up to an interruption. */
  heard: string;
  /** The line's clock when the first word was spoken; undefined if none was. */
  startedAt: number | undefined;
  /** Why it was cut off: `signal` means that the service did. What the customer said or did comes from `next`. */
  cutOffBy?: 'customer' | 'end' | 'time' | 'signal' | undefined;
}

/** A connected call. It belongs to the process that the carrier has connected. */
export interface Line {
  /** Seconds on the line's own clock. */
  readonly now: number;
  /** When the customer was last heard, on the line's clock: now while they speak, undefined if they never have. */
  readonly customerHeardAt: number | undefined;
  /** Returns the next event, or undefined if there is none within `seconds`. */
  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined>;
  /**
   * Speaks a text while it arrives, and resolves when it has been heard or cut off. If it is cut off, the text is no
   * longer read (`return` of its iterator is called), so that the model can stop. After an empty chunk the text pauses:
   * the line does not wait for more to speak what it has.
   *
   * @param seconds the text is cut off after this time.
   * @param signal cuts the text off, too.
   * @throws the reason of the signal if it was aborted before.
   */
  say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken>;
  /** Sends keys: `0` to `9`, `*`, `#`, and `w` for half a second of pause. */
  sendDigits(digits: string): Promise<void>;
  /**
   * Gives the call away: the carrier ends this line and asks {@link CallHandler.onDisconnected} what comes next.
   */
  leave(): Promise<void>;
  /**
   * Ends the call; does nothing if it has ended.
   *
   * @param reason for a line that can show it.
   */
  hangUp(reason?: HangUpReason): Promise<void>;
  /**
   * Set if the customer talks to a model of the line's own, which then speaks instead of the assistant's.
   *
   * @throws EngineError if the model is not available.
   */
  openSpeaker?(brief: SpeakerBrief): Promise<Speaker>;
}

/** A part of a reply, in order. */
export type ReplyPart = { type: 'text'; text: string } | { type: 'function_call'; call: StoredFunctionCall };

/** Why the assistant speaks although the customer has said nothing. */
export type Occasion =
  | 'silence'
  /** The number that the customer was transferred to did not answer. */
  | 'transfer-unanswered'
  /** The connection was lost for a moment. */
  | 'reconnected';

/** Generates the assistant's replies, part by part. */
export interface Speaker {
  /** @param before the transcript before `said`. */
  answer(said: string, before: readonly CallMessage[], signal: AbortSignal): AsyncIterable<ReplyPart>;
  speakUp(occasion: Occasion, before: readonly CallMessage[], signal: AbortSignal): AsyncIterable<ReplyPart>;
}

/** What a model of a line's own must know to speak for an assistant. */
export interface SpeakerBrief {
  /** The system prompt, with the rules for speech. */
  instructions: string;
  /** What it is to do where the customer has said nothing. */
  occasions: Readonly<Record<Occasion, string>>;
  tools: EngineTool[];
  /** What was said before this line. */
  history: readonly Pick<CallMessage, 'role' | 'content'>[];
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
  /**
   * Called after each reply, also after those that failed or were stopped, and after each transcription. It must not
   * throw.
   */
  recordUsage: (usage: Omit<ModelUsage, 'assistant'>) => void;
}
