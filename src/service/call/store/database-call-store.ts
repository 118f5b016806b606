import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { EndReason } from '../../../contract/call.ts';
import { callMinutePrice } from '../../billing/prices.ts';
import { calls } from '../../db/calls-table.ts';
import type { Database, Queries } from '../../db/database.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { fitJson } from '../../lib/storable.ts';
import { recordFirstWord } from '../../telemetry/instruments.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import type { CallStore } from './call-store.ts';
import { chargeMinutes } from '../charging/charge-minutes.ts';
import type { ConnectedPlan } from '../start/plan-call.ts';
import type { EndingDependencies } from '../../conversation/end-conversation.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { formatTranscript } from '../../lib/format-transcript.ts';
import { reconnectSeconds } from '../connection/allow-connection.ts';
import { isOpen } from '../is-open.ts';
import { transferRinging } from '../transfer/transfer-ringing.ts';

/** This process no longer owns the call: it was deleted, or its lease expired. */
export class CallLeaseLostError extends Error {
  override readonly name = 'CallLeaseLostError';
}

/** Matches a call that is open and leased by this owner. */
export const isLeasedBy = (callId: number, owner: string) =>
  and(eq(calls.id, callId), eq(calls.leaseOwner, owner), isOpen);

/** Stores a call's progress in its record, as long as this process holds the lease. */
export class DatabaseCallStore implements CallStore {
  readonly #database: Database;
  readonly #jobs: Jobs;
  readonly #call: ConnectedPlan;
  readonly #owner: string;

  constructor({ database, jobs }: EndingDependencies, call: ConnectedPlan, owner: string) {
    this.#database = database;
    this.#jobs = jobs;
    this.#call = call;
    this.#owner = owner;
  }

  async saveMessages(
    messages: readonly CallMessage[],
    queries: Queries = this.#database.db,
  ): Promise<EndReason | undefined> {
    const stored = messages.map(fitJson);
    const responseTime = messages.at(-1)?.responseTime;
    if (responseTime !== undefined) recordFirstWord(responseTime);
    await this.touch(queries, { messages: stored, transcript: formatTranscript(stored) });
    return undefined;
  }

  async chargeMinute(minute: number): Promise<boolean> {
    const amount = callMinutePrice(this.#call.mode);
    try {
      return await this.#database.db.transaction(async (tx) => {
        const userId = await this.lock(tx);
        const { id: assistantId } = this.#call.speaker.assistant;
        const charge = { userId, assistantId, callId: this.#call.id, minutes: [minute], amount };
        if ((await chargeMinutes({ tx, jobs: this.#jobs }, charge)) === 0) throw new InsufficientBalance();
        return true;
      });
    } catch (error) {
      if (error instanceof InsufficientBalance) return false;
      // An earlier attempt succeeded, but its response was lost.
      if (isUniqueViolation(error, 'ledger_entries_once_a_minute')) return true;
      throw error;
    }
  }

  async release(duration: number, transferTo?: string): Promise<void> {
    const { maxDuration } = this.#call.settings;
    // Covers ringing and the transferred conversation, or the carrier's reconnection.
    const seconds = reconnectSeconds + (transferTo === undefined ? 0 : transferRinging + maxDuration);
    const values = {
      duration,
      leaseOwner: null,
      leaseUntil: leaseEnd(seconds * 1000) as unknown as string,
      ...(transferTo !== undefined && { transferTo }),
    };
    // An earlier attempt may have succeeded, but its response was lost.
    const isReleased = and(eq(calls.id, this.#call.id), isNull(calls.leaseOwner), isOpen);
    await this.touch(this.#database.db, values, or(isLeasedBy(this.#call.id, this.#owner), isReleased));
  }

  /**
   * Locks the record.
   *
   * @returns the user id of the owner.
   * @throws CallLeaseLostError
   */
  async lock(tx: Queries): Promise<number> {
    const [locked] = await tx
      .select({ userId: calls.userId })
      .from(calls)
      .where(isLeasedBy(this.#call.id, this.#owner))
      .for('no key update');
    if (!locked) throw new CallLeaseLostError();
    return locked.userId;
  }

  /**
   * Updates the record.
   *
   * @param condition matches the call if this process still owns it.
   * @returns the user id of the owner.
   * @throws CallLeaseLostError
   */
  async touch(
    queries: Queries,
    values: Partial<typeof calls.$inferInsert> = {},
    condition = isLeasedBy(this.#call.id, this.#owner),
  ): Promise<number> {
    const [changed] = await queries
      .update(calls)
      .set({ ...values, updatedAt: sql`now()` })
      .where(condition)
      .returning({ userId: calls.userId });
    if (!changed) throw new CallLeaseLostError();
    return changed.userId;
  }
}

/** Rolls back the transaction. */
class InsufficientBalance extends Error {}
