import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import type { Line, LinePlan } from '../voice/line.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';

/*
 * The interface to telephony providers. A carrier converts speech to text and back, so the service only exchanges
 * text with it. Two things are separate, since a provider may bring them to different processes: a *call*, which any
 * process can dial and whose reports any process can receive, and its *line*, which belongs to the one process that
 * the provider has connected.
 */

/** What a carrier must know to connect a call to the service. */
export interface CallPlan extends LinePlan {
  /** The id of our record. */
  callId: number;
  /** Unguessable and for this call alone: the carrier's connection and reports must bring it. */
  token: string;
  /** Unguessable and for one connection: it opens the next one, and no other. */
  connectToken: string;
  /** Seconds from the answer, on all lines together, after which the carrier hangs up by itself. */
  maxDuration: number;
  record: boolean;
}

/** A call to place. */
export interface OutgoingCall extends CallPlan {
  /** E.164; if empty, the carrier uses its own number. */
  from: string;
  /** E.164. */
  to: string;
  /** Ringing time in seconds. */
  ringingTime: number;
}

/** Somebody is calling one of the service's numbers. */
export interface IncomingCall {
  /** The carrier's id of the call. A carrier may ask twice for one call; the answer is then the same. */
  carrierCallId: string;
  /** E.164, or empty if the number is withheld. */
  from: string;
  /** E.164: the number of ours that was called. */
  to: string;
}

/** Who answered. */
export type AnsweredBy = 'human' | 'machine' | 'fax' | 'unknown';

/** A carrier's report on a call. Reports may come to any process, twice, and in any order. */
export type CallReport = { callId: number; token: string; carrierCallId?: string | undefined } &
  /** The carrier has begun to dial; before that, the call may have waited in its queue. */
  (
    | { type: 'initiated' }
    | { type: 'ringing' }
    /** Nobody answered. `failed` means that the number could not be dialed. */
    | { type: 'unreached'; reason: 'busy' | 'no-answer' | 'failed' }
    /**
     * Before the line is connected, if the carrier knows it at the answer. During the call, the greeting of a machine is
     * over, so that a message can be left.
     */
    | { type: 'identified'; by: AnsweredBy }
    /** The phone was answered that the customer is transferred to. */
    | { type: 'transfer-answered' }
    /** `seconds` is the carrier's duration of the whole call. */
    | { type: 'ended'; seconds: number }
    | { type: 'recorded'; recordingId: string; seconds: number }
  );

/** What the carrier does with a call after a line has ended. */
export type NextStep =
  | { type: 'hang-up' }
  /** Connect the customer to another number; if nobody answers, ask again with `unanswered`. */
  | { type: 'transfer'; to: string; callerId: string; ringingTime: number; maxDuration: number }
  /** Connect the call to the service again. */
  | { type: 'connect'; plan: CallPlan };

/** The answer to an incoming call. */
export type Admission = { type: 'accept'; plan: CallPlan } | { type: 'refuse'; reason: 'busy' | 'rejected' };

/** The service, as a carrier sees it. */
export interface CallHandler {
  /**
   * The carrier has connected a call to this process, which holds it from now on; an earlier line of the same call is
   * over. Resolves when the conversation on this line has ended.
   *
   * @throws Refusal if there is no such open call, or a token is wrong.
   */
  onConnected(
    call: { callId: number; token: string; connectToken: string; carrierCallId: string },
    line: Line,
  ): Promise<void>;
  /** @throws Refusal if there is no such call, or the token is wrong. */
  onReport(report: CallReport): Promise<void>;
  /**
   * A line has ended but the call has not: the assistant transfers it, its process died, or the transfer was not
   * answered.
   */
  onDisconnected(call: {
    callId: number;
    token: string;
    cause: 'left' | 'lost' | 'unanswered' | 'transferred';
  }): Promise<NextStep>;
  onIncoming(call: IncomingCall): Promise<Admission>;
}

/** Makes and receives calls. */
export interface Carrier {
  /** Milliseconds in a second of its calls: 1000, unless it simulates them. */
  readonly secondMs: number;
  /** Calls that it starts in a second; no limit by default. */
  readonly callsPerSecond?: number | undefined;
  /** Seconds that a call may wait in its queue until it is dialed; 0 by default. */
  readonly queueSeconds?: number;
  /** Called once, before all else. */
  open(handler: CallHandler): void;
  /**
   * Starts a call and resolves when the carrier has accepted it; what becomes of it is reported to the handler.
   *
   * @returns the carrier's id of the call.
   * @throws CarrierError if the carrier refused the call; the number was then not dialed.
   */
  dial(call: OutgoingCall): Promise<string>;
  /** Ends a call by the carrier's id, also one whose line another process held. Does nothing if it has ended. */
  hangUp(carrierCallId: string): Promise<void>;
  /**
   * Ends a transferred call whose process has died, with the other phone's part of it. Only carriers whose transfers are
   * made by the process that had the line have this; they report no end of such calls.
   *
   * @returns whether the customer was still connected.
   */
  hangUpTransfer?(carrierCallId: string): Promise<boolean>;
  /** Handles the carrier's webhooks, below `/api/carrier`. */
  readonly routes?: Hono;
  /** Accepts the carrier's WebSockets, below `/api/carrier`. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly numbers?: CarrierNumbers;
  /** Removes a Caller ID number; does nothing if the carrier does not know it. Retried if it fails. */
  removeCallerId?(callerId: string): Promise<void>;
  /** Reads a recording; `range` is the value of the HTTP header. */
  readRecording?(recordingId: string, range: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Deletes a recording; does nothing if the carrier does not know it. Retried if it fails. */
  deleteRecording?(recordingId: string): Promise<void>;
  /** Has a customer call a number of the service, if the carrier is simulated. */
  ring?(call: IncomingCall): Promise<void>;
  /** Resolves when no call is ringing that would be lost with this process; undefined if there are no such calls. */
  settled?(): Promise<void>;
  /** Ends all lines of this process. */
  close?(): Promise<void>;
}
