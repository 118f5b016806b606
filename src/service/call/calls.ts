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
import type { Closing } from './end-call.ts';
import { holdCall } from './hold-call.ts';
import { CallGoneError, isHeld, StoredCallBook } from './stored-call-book.ts';

/** The parts of the service that calls use. */
export interface CallsParts {
  database: Database;
  jobs: Jobs;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
  engine: Engine;
  carrier: Carrier;
  leaseMs: number;
  /** Longest time for one reply, in milliseconds. */
  replyMs: number;
  log: Logger;
}

/**
 * The calls that this process makes. A lease in the database keeps other processes from making them too. If this
 * process dies, another one ends its calls as failed, because a connection to a phone cannot be handed over.
 */
export class Calls {
  readonly #parts: CallsParts;
  readonly #lease: Lease;
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #isFinishing = false;

  constructor(parts: CallsParts) {
    this.#parts = parts;
    this.#lease = { owner: randomUUID(), milliseconds: parts.leaseMs };
  }

  /**
   * Begins a call that waits to be made, unless another process has. Resolves once it has begun.
   *
   * @throws if the call could not be claimed, or the service is stopping; the call waits on then.
   */
  async start(callId: number): Promise<void> {
    if (this.#isFinishing) throw this.#stopError();
    if (this.#underWay.has(callId)) return;
    const begun = Promise.withResolvers<undefined>();
    const done = this.#prepareAndMake(callId, () => {
      begun.resolve(undefined);
    })
      .then(() => {
        begun.resolve(undefined);
      }, begun.reject)
      .finally(() => this.#underWay.delete(callId));
    this.#underWay.set(callId, done);
    await begun.promise;
  }

  /** Extends the leases of the calls under way. */
  async renewLeases(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await this.#parts.database.db
      .update(calls)
      .set({ leaseUntil: leaseEnd(this.#lease.milliseconds) })
      .where(and(inArray(calls.id, [...this.#underWay.keys()]), eq(calls.leaseOwner, this.#lease.owner)));
  }

  /** Begins no more calls, waits for those under way, and hangs up those that take longer than `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    this.#isFinishing = true;
    const deadline = setTimeout(() => {
      this.#closing.abort(this.#stopError());
    }, milliseconds);
    await Promise.all(this.#underWay.values());
    clearTimeout(deadline);
  }

  #stopError(): Error {
    return new Error('The service is stopping.');
  }

  async #prepareAndMake(callId: number, hasBegun: () => void): Promise<void> {
    const { database } = this.#parts;
    const planned = await planCall(database, callId);
    if (planned === undefined) return;
    if (typeof planned === 'string') {
      await endCall(this.#parts, isUnclaimed(callId), { status: 'failed', reason: planned });
      return;
    }
    const speaker = await AssistantSpeaker.prepare({ ...this.#parts, ...planned });
    this.#closing.signal.throwIfAborted();
    // Claimed last: after a database error up to here, the job simply runs again.
    if (!(await claimCall(database, callId, this.#lease))) return;
    hasBegun();
    await this.#make(planned, speaker);
  }

  async #make(planned: PlannedCall, speaker: AssistantSpeaker): Promise<void> {
    const { database, carrier, log } = this.#parts;
    try {
      const end = await holdCall(carrier, planned.call, {
        settings: planned.settings,
        speaker,
        book: new StoredCallBook(database, planned, this.#lease.owner),
        signal: this.#closing.signal,
      });
      const isRecorded = planned.call.record && end.lines.length > 0;
      await this.#end(planned.id, { ...end, isRecorded });
    } catch (error) {
      if (error instanceof CallGoneError) return;
      // The cause of an engine error may quote a key or a prompt, so only its message is logged.
      if (error instanceof EngineError)
        log.warn({ reason: error.message, callId: planned.id }, 'a call was cut off');
      else log.error({ err: error, callId: planned.id }, 'a call was cut off');
      await this.#end(planned.id, { status: 'failed', reason: 'cut-off' });
    }
  }

  async #end(callId: number, closing: Closing): Promise<void> {
    try {
      await endCall(this.#parts, isHeld(callId, this.#lease.owner), closing);
    } catch (error) {
      // The lease is no longer renewed from now on, so the sweep ends the call once the database is back.
      this.#parts.log.error({ err: error, callId }, 'a call that is over could not be ended yet');
    }
  }
}
