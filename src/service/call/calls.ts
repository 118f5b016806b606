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
import { claimCall } from './claim-call.ts';
import type { ClaimedCall } from './claim-call.ts';
import { endCall } from './end-call.ts';
import type { Closing } from './end-call.ts';
import { holdCall } from './hold-call.ts';
import { CallGoneError, isHeld, StoredCallBook } from './stored-call-book.ts';

/** What calls are made with. */
export interface CallsParts {
  database: Database;
  jobs: Jobs;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
  engine: Engine;
  carrier: Carrier;
  leaseMs: number;
  /** Longest time for one reply. */
  replyMs: number;
  log: Logger;
}

/**
 * The calls that this process makes. A lease in the database says so, and keeps every other process from making them
 * too; when this one dies, another ends them as failed. A connection to a phone cannot be handed over.
 */
export class Calls {
  readonly #parts: CallsParts;
  readonly #lease: Lease;
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: CallsParts) {
    this.#parts = parts;
    this.#lease = { owner: randomUUID(), milliseconds: parts.leaseMs };
  }

  /** Begins to make a call that waits for it. One that somebody else makes, or has made, is left alone. */
  async start(callId: number): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const claimed = await claimCall(this.#parts.database, callId, this.#lease, new Date());
    if (claimed === undefined) return;
    if (typeof claimed === 'string') {
      await this.#end(callId, { status: 'failed', reason: claimed });
      return;
    }
    const done = this.#make(claimed).finally(() => this.#underWay.delete(callId));
    this.#underWay.set(callId, done);
  }

  /** Tells the database that the calls under way are still being made. */
  async renewLeases(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await this.#parts.database.db
      .update(calls)
      .set({ leaseUntil: leaseEnd(this.#lease.milliseconds) })
      .where(and(inArray(calls.id, [...this.#underWay.keys()]), eq(calls.leaseOwner, this.#lease.owner)));
  }

  /** Waits for the calls under way, hangs up those that take longer than `milliseconds`, and waits for that. */
  async finish(milliseconds: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.#closing.abort(new Error('The service is being restarted.'));
    }, milliseconds);
    await Promise.all(this.#underWay.values());
    clearTimeout(deadline);
  }

  async #make(claimed: ClaimedCall): Promise<void> {
    const { database, fetchGuarded, embedder, engine, carrier, replyMs, log } = this.#parts;
    try {
      const end = await holdCall(carrier, claimed.call, {
        settings: claimed.settings,
        speaker: await AssistantSpeaker.prepare({
          database,
          fetchGuarded,
          embedder,
          engine,
          replyMs,
          ...claimed,
        }),
        book: new StoredCallBook(database, claimed, this.#lease.owner),
        signal: this.#closing.signal,
      });
      const isRecorded = claimed.call.record && end.lines.length > 0;
      await this.#end(claimed.id, { ...end, isRecorded });
    } catch (error) {
      if (error instanceof CallGoneError) return;
      // As with replies: the cause of a foreseen failure is the engine's to log, since it may quote a key or a prompt.
      if (error instanceof EngineError)
        log.warn({ reason: error.message, callId: claimed.id }, 'a call was cut off');
      else log.error({ err: error, callId: claimed.id }, 'a call was cut off');
      await this.#end(claimed.id, { status: 'failed', reason: 'cut-off' });
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
