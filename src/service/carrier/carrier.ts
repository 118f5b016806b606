import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import type { Line, LinePlan } from '../voice/line.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';

/*
 * The interface to telephony providers. A line exchanges text with the service, however it converts speech. Calls and
 * lines are separate, since a provider may send them to different processes: any process can dial a *call* and receive
 * its reports, but its *line* belongs to the process that the provider connected to.
 */

/** The data that a carrier needs to connect a call to the service. */
export interface CallPlan extends LinePlan {
  /** The id of the call's record. */
  callId: number;
  /** Secret of this call. The carrier's connection and reports must contain it. */
  token: string;
  /** Secret of the next connection. It is valid for one connection only. */
  connectToken: string;
  /** Seconds after the answer, across all lines, after which the carrier hangs up by itself, if the service has not. */
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

/** A call to one of the service's numbers. */
export interface IncomingCall {
  /** The carrier's id of the call. A carrier may ask twice for the same call and gets the same answer. */
  carrierCallId: string;
  /** E.164, or empty if the number is withheld. */
  from: string;
  /** The called number, in E.164. */
  to: string;
}

/** The kind of answer: a person, an answering machine or a fax. */
export type AnsweredBy = 'human' | 'machine' | 'fax' | 'unknown';

/** A carrier's report on a call. Reports may reach any process, repeatedly, and in any order. */
export type CallReport = { callId: number; token: string; carrierCallId?: string | undefined } &
  /** The carrier has started to dial. Before that, the call may have waited in its queue. */
  (
    | { type: 'initiated' }
    | { type: 'ringing' }
    /** The call was not answered. `failed` means that the number could not be dialed. */
    | { type: 'unreached'; reason: 'busy' | 'no-answer' | 'failed' }
    /**
     * Sent before the line is connected if the carrier knows it by then. During the call, `machine` is sent when its
     * greeting is over, so that a message can be left.
     */
    | { type: 'identified'; by: AnsweredBy }
    /** The phone to which the customer is transferred was answered. */
    | { type: 'transfer-answered' }
    /** `seconds` is the carrier's duration of the whole call. */
    | { type: 'ended'; seconds: number }
    | { type: 'recorded'; recordingId: string; seconds: number }
  );

/** The carrier's next step with a call after a line has ended. */
export type NextStep =
  | { type: 'hang-up' }
  /** Connect the customer to another number. If it does not answer, ask again with `unanswered`. */
  | { type: 'transfer'; to: string; callerId: string; ringingTime: number; maxDuration: number }
  /** Connect the call to the service again. */
  | { type: 'connect'; plan: CallPlan };

/** The answer to an incoming call. */
export type Admission = { type: 'accept'; plan: CallPlan } | { type: 'refuse'; reason: 'busy' | 'rejected' };

/** The interface of the service to a carrier. */
export interface CallHandler {
  /**
   * Returns the settings for a line of a call.
   *
   * @throws Refusal if there is no such call or its assistant was deleted, or the token is wrong.
   */
  planOf(call: { callId: number; token: string }): Promise<LinePlan>;
  /**
   * Called when the carrier has connected a call to this process, which owns it from now on. An earlier line of the
   * call has then ended. Resolves when the conversation on this line has ended.
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
   * Called when a line or a transfer has ended, but the call has not. Returns the next step. After `transferred`, the
   * carrier also reports the end of the call.
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
  /** Milliseconds per second of its calls: 1000, unless it simulates them. */
  readonly secondMs: number;
  /** Maximum number of calls that it starts per second; no limit by default. */
  readonly callsPerSecond?: number | undefined;
  /** Maximum wait of a call in its queue in seconds; 0 by default. */
  readonly queueSeconds?: number;
  /** Called once, before any other method. */
  open(handler: CallHandler): void;
  /**
   * Starts a call. Resolves when the carrier has accepted it. Its progress is reported to the handler.
   *
   * @returns the carrier's id of the call.
   * @throws CarrierError if the carrier refused the call, so the number was not dialed.
   */
  dial(call: OutgoingCall): Promise<string>;
  /** Ends a call by the carrier's id, even if another process owns it. Does nothing if it has ended. */
  hangUp(carrierCallId: string): Promise<void>;
  /**
   * Ends a transferred call whose process has died, on both phones. Implemented only by carriers whose transfers depend
   * on the process that had the line, since they do not report the end of such calls.
   *
   * @returns whether the customer was still connected.
   */
  hangUpTransfer?(carrierCallId: string): Promise<boolean>;
  /** Handles the carrier's webhooks, below `/api/carrier`. */
  readonly routes?: Hono;
  /** Accepts the carrier's WebSockets, below `/api/carrier`. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly numbers?: CarrierNumbers;
  /** Removes a Caller ID number. Does nothing if the carrier does not know it. Retried if it fails. */
  removeCallerId?(callerId: string): Promise<void>;
  /** Reads a recording; `range` is the value of the HTTP header `Range`, which the carrier may ignore. */
  readRecording?(recordingId: string, range: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Deletes a recording. Does nothing if the carrier does not know it. Retried if it fails. */
  deleteRecording?(recordingId: string): Promise<void>;
  /** Makes a simulated customer call a number of the service. Undefined for real carriers. */
  ring?(call: IncomingCall): Promise<void>;
  /** Returns why this process can make no calls at the moment, as sentences for the operator; undefined if it can. */
  problem?(): string | undefined;
  /** Resolves when this process has no more calls that would be lost with it. Undefined if there are no such calls. */
  settled?(): Promise<void>;
  /** Whether the carrier connects a call to another process when this one closes its line. */
  readonly canReconnect?: boolean;
  /** Ends all lines of this process. */
  close?(): Promise<void>;
}
