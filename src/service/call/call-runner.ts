import { randomUUID } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Carrier } from '../carrier/carrier.ts';
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
   * @throws if the call could not be claimed or the service is stopping; the call then keeps waiting.
   */
  async start(callId: number): Promise<void> {
    if (this.#isFinishing) throw this.#stopError();
    if (this.#running.has(callId)) return;
    const started = Promise.withResolvers<undefined>();
    const done = this.#prepareAndRun(callId, () => {
      started.resolve(undefined);
    })
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

  async #prepareAndRun(callId: number, onStarted: () => void): Promise<void> {
    const { database } = this.#parts;
    const planned = await planCall(database, callId);
    if (planned === undefined) return;
    if (typeof planned === 'string') {
      await endCall(this.#parts, isUnclaimed(callId), { status: 'failed', reason: planned });
      return;
    }
    const speaker = await AssistantSpeaker.prepare({ ...this.#parts, ...planned });
    this.#closing.signal.throwIfAborted();
    // Claimed last, so that the job can run again after a database error up to here.
    if (!(await claimCall(database, callId, this.#lease))) return;
    onStarted();
    await this.#run(planned, speaker);
  }

  async #run(planned: PlannedCall, speaker: AssistantSpeaker): Promise<void> {
    const { carrier, log } = this.#parts;
    try {
      const end = await runCall(carrier, planned.call, {
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
