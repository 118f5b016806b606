import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type {
  CallHandler,
  CallReport,
  Carrier,
  NextStep,
  OutgoingCall,
} from '../../../src/service/carrier/carrier.ts';
import { ScriptedLine } from './scripted-line.ts';

type Disconnection = Parameters<CallHandler['onDisconnected']>[0];

/** A report without the parts that identify the call. */
type ReportOf<Report> = Report extends CallReport ? Omit<Report, 'callId' | 'token'> : never;

/** A connected line and its use by the service. */
export interface Connection {
  line: ScriptedLine;
  /** Settles when the service has finished with the line. */
  over: Promise<void>;
  /** The next step after the service has left the line. */
  left: Promise<NextStep>;
}

/** A call that the service has dialed, and that the test connects and reports. */
export class ScriptedCall {
  /** The carrier's id. */
  readonly id = randomUUID();
  readonly plan: OutgoingCall;
  readonly #handler: () => CallHandler;
  /** The secret of the next connection. */
  #connectToken: string;

  constructor(plan: OutgoingCall, handler: () => CallHandler) {
    this.plan = plan;
    this.#handler = handler;
    this.#connectToken = plan.connectToken;
  }

  /** @param at the service that receives the report; the service that dialed by default. */
  report(
    report: ReportOf<CallReport>,
    { at = this.#handler(), token = this.plan.token } = {},
  ): Promise<void> {
    return at.onReport({ callId: this.plan.callId, token, carrierCallId: this.id, ...report });
  }

  /**
   * Connects the call.
   *
   * @param options.at the service that receives the connection; the service that dialed by default.
   */
  connect({
    at = this.#handler(),
    token = this.plan.token,
    connectToken = this.#connectToken,
    carrierCallId = this.id,
  }: { at?: CallHandler; token?: string; connectToken?: string; carrierCallId?: string } = {}): Connection {
    const left = Promise.withResolvers<NextStep>();
    const line = new ScriptedLine(() => {
      left.resolve(this.disconnect('left', { at }));
    });
    const over = at.onConnected({ callId: this.plan.callId, token, connectToken, carrierCallId }, line);
    // Not every test awaits it.
    over.catch(() => undefined);
    left.promise.catch(() => undefined);
    return { line, over, left: left.promise };
  }

  async disconnect(
    cause: Disconnection['cause'],
    { at = this.#handler(), token = this.plan.token } = {},
  ): Promise<NextStep> {
    const next = await at.onDisconnected({ callId: this.plan.callId, token, cause });
    if (next.type === 'connect') this.#connectToken = next.plan.connectToken;
    return next;
  }
}

/** A carrier that does nothing by itself. It accepts every number. */
export class ScriptedCarrier implements Carrier {
  readonly secondMs = 1000;
  readonly queueSeconds = 600;
  callsPerSecond: number | undefined;
  /** As with webhooks, a report can reach a process that does not own the call. */
  readonly routes = new Hono();
  readonly calls: ScriptedCall[] = [];
  /** The ids of the calls that the service ended. */
  readonly hungUp: string[] = [];
  readonly deletedRecordings: string[] = [];
  /** Set if the carrier's transfers end with their process. */
  hangUpTransfer?: (carrierCallId: string) => Promise<boolean>;
  /** Replaces the answer to `dial`; the number has been dialed before. */
  answer: (call: ScriptedCall) => Promise<string> = ({ id }) => Promise.resolve(id);
  #handler: CallHandler | undefined;
  #changed = Promise.withResolvers<undefined>();

  get handler(): CallHandler {
    if (!this.#handler) throw new Error('The carrier was not opened.');
    return this.#handler;
  }

  open(handler: CallHandler): void {
    this.#handler = handler;
  }

  dial(plan: OutgoingCall): Promise<string> {
    const call = new ScriptedCall(plan, () => this.handler);
    this.calls.push(call);
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
    return this.answer(call);
  }

  hangUp(carrierCallId: string): Promise<void> {
    this.hungUp.push(carrierCallId);
    return Promise.resolve();
  }

  deleteRecording(recordingId: string): Promise<void> {
    this.deletedRecordings.push(recordingId);
    return Promise.resolve();
  }

  /** Resolves once the service has dialed this call. */
  async dialed(callId: number): Promise<ScriptedCall> {
    for (;;) {
      const call = this.calls.find(({ plan }) => plan.callId === callId);
      if (call) return call;
      await this.#changed.promise;
    }
  }
}
