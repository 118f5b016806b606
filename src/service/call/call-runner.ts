import { randomUUID } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Carrier, Line } from '../carrier/carrier.ts';
import { whyNotCallable } from '../lib/allowed-countries.ts';
import type { AllowedCountries } from '../lib/allowed-countries.ts';
import type { Lease } from '../lib/lease.ts';
import { leaseEnd } from '../lib/lease.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Embedder } from '../knowledge/embedder.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { AssistantSpeaker } from './assistant-speaker.ts';
import { claimCall, isUnclaimed, planCall } from './claim-call.ts';
import type { PlannedCall } from './claim-call.ts';
import { endCall } from './end-call.ts';
import type { EndedCall } from './end-call.ts';
import { runCall } from './run-call.ts';
import { CallLeaseLostError, isLeasedBy, StoredCallLog } from './stored-call-log.ts';

/** Dependencies of {@link CallRunner}. */
export interface CallRunnerParts {
  database: Database;
  jobs: Jobs;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
  engine: Engine;
  carrier: Carrier;
  /** The countries that may be called. */
  countries: AllowedCountries;
  /** Sends the webhook at the start of an inbound call, which may change the call's variables. */
  prepareInbound: (callId: number) => Promise<void>;
  leaseMs: number;
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
  log: Logger;
}

/**
 * Runs the calls of this process. A lease in the database prevents other processes from running them too. If this
 * process dies, another one marks its calls as failed, because a phone connection cannot be handed over.
 */
export class CallRunner {
  readonly #parts: CallRunnerParts;
  readonly #lease: Lease;
  readonly #running = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #isFinishing = false;

  constructor(parts: CallRunnerParts) {
    this.#parts = parts;
    this.#lease = { owner: randomUUID(), milliseconds: parts.leaseMs };
  }

  /**
   * Starts a waiting call, unless another process has claimed it. Resolves once the call has started.
   *
   * @param line the line of an inbound call; other calls are dialed.
   * @throws if the call could not be claimed or the service is stopping; the call then keeps waiting.
   */
  async start(callId: number, line?: Line): Promise<void> {
    if (this.#isFinishing) throw this.#stopError();
    if (this.#running.has(callId)) return;
    const started = Promise.withResolvers<undefined>();
    const onStarted = () => {
      started.resolve(undefined);
    };
    const done = this.#prepareAndRun(callId, line, onStarted)
      .then(() => {
        started.resolve(undefined);
      }, started.reject)
      .finally(() => this.#running.delete(callId));
    this.#running.set(callId, done);
    await started.promise;
  }

  /** Extends the leases of the running calls. */
  async renewLeases(): Promise<void> {
    if (this.#running.size === 0) return;
    await this.#parts.database.db
      .update(calls)
      .set({ leaseUntil: leaseEnd(this.#lease.milliseconds) })
      .where(and(inArray(calls.id, [...this.#running.keys()]), eq(calls.leaseOwner, this.#lease.owner)));
  }

  /** Starts no more calls, waits for the running ones, and hangs up after `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    this.#isFinishing = true;
    const deadline = setTimeout(() => {
      this.#closing.abort(this.#stopError());
    }, milliseconds);
    await Promise.all(this.#running.values());
    clearTimeout(deadline);
  }

  #stopError(): Error {
    return new Error('The service is stopping.');
  }

  async #prepareAndRun(callId: number, line: Line | undefined, onStarted: () => void): Promise<void> {
    const { database, countries } = this.#parts;
    if (line) await this.#prepareInbound(callId);
    const planned = await planCall(database, callId);
    if (planned === undefined) return;
    if (typeof planned === 'string') {
      await this.#refuse(callId, planned);
      return;
    }
    if (!line && whyNotCallable(planned.call.to, countries) !== undefined) {
      await this.#refuse(callId, 'country-not-allowed');
      return;
    }
    const speaker = await AssistantSpeaker.prepare({ ...this.#parts, ...planned });
    this.#closing.signal.throwIfAborted();
    // Claimed last, so that the job can run again after a database error up to here.
    if (!(await claimCall(database, callId, this.#lease))) return;
    onStarted();
    await this.#run(planned, speaker, line);
  }

  /** Ends a waiting call that must not be made. */
  async #refuse(callId: number, reason: string): Promise<void> {
    await endCall(this.#parts, isUnclaimed(callId), { status: 'failed', reason });
  }

  /** A call continues without its webhook. */
  async #prepareInbound(callId: number): Promise<void> {
    try {
      await this.#parts.prepareInbound(callId);
    } catch (error) {
      this.#parts.log.error({ err: error, callId }, 'the webhook of an inbound call could not be sent');
    }
  }

  async #run(planned: PlannedCall, speaker: AssistantSpeaker, line: Line | undefined): Promise<void> {
    const { carrier, log } = this.#parts;
    try {
      const open = () => (line ? Promise.resolve(line) : carrier.place(planned.call));
      const end = await runCall(open, planned.call.ringingTime, {
        settings: planned.settings,
        speaker,
        callLog: new StoredCallLog(this.#parts, planned, this.#lease.owner),
        signal: this.#closing.signal,
      });
      const isRecorded = planned.call.record && end.lines.length > 0;
      await this.#end(planned.id, { ...end, isRecorded });
    } catch (error) {
      if (error instanceof CallLeaseLostError) return;
      // The cause of an engine error may contain a key or a prompt, so only its message is logged.
      if (error instanceof EngineError)
        log.warn({ reason: error.message, callId: planned.id }, 'a call was interrupted');
      else log.error({ err: error, callId: planned.id }, 'a call was interrupted');
      await this.#end(planned.id, { status: 'failed', reason: 'cut-off' });
    }
  }

  async #end(callId: number, result: EndedCall): Promise<void> {
    try {
      await endCall(this.#parts, isLeasedBy(callId, this.#lease.owner), result);
    } catch (error) {
      // The lease is no longer renewed, so housekeeping ends the call once the database is available again.
      this.#parts.log.error({ err: error, callId }, 'the end of a call could not be stored yet');
    }
  }
}
