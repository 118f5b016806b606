import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { EndReason } from '../../../contract/call.ts';
import { callMinutePrice } from '../../billing/prices.ts';
import { calls } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { fitJson } from '../../lib/storable.ts';
import { recordFirstWord } from '../../telemetry/instruments.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import type { CallStore } from './call-store.ts';
import { CallLeaseLostError, isLeasedBy } from '../call-lease.ts';
import { chargeStartedMinute } from '../charging/charge-started-minute.ts';
import type { ConnectedPlan } from '../start/plan-call.ts';
import type { EndingDependencies } from '../../conversation/end-conversation.ts';
import { formatTranscript } from '../../lib/format-transcript.ts';
import { reconnectSeconds } from '../connection/allow-connection.ts';
import { isOpen } from '../is-open.ts';
import { transferRinging } from '../transfer/charge-transfer.ts';

/** Stores a call's progress in its record, as long as this process holds the lease. */
export class DatabaseCallStore implements CallStore {
  readonly #dependencies: EndingDependencies;
  readonly #call: ConnectedPlan;
  readonly #owner: string;

  constructor(dependencies: EndingDependencies, call: ConnectedPlan, owner: string) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#owner = owner;
  }

  async saveMessages(
    messages: readonly CallMessage[],
    queries: Queries = this.#dependencies.database.db,
  ): Promise<EndReason | undefined> {
    const stored = messages.map(fitJson);
    const responseTime = messages.at(-1)?.responseTime;
    if (responseTime !== undefined) recordFirstWord(responseTime);
    await this.#update(queries, { messages: stored, transcript: formatTranscript(stored) });
    return undefined;
  }

  async chargeMinute(minute: number): Promise<void> {
    const { id: callId, callContext, mode } = this.#call;
    await chargeStartedMinute(this.#dependencies, {
      callId,
      assistantId: callContext.assistant.id,
      owner: this.#owner,
      minute,
      price: callMinutePrice(mode),
    });
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
    await this.#update(
      this.#dependencies.database.db,
      values,
      or(isLeasedBy(this.#call.id, this.#owner), isReleased),
    );
  }

  /**
   * Updates the record.
   *
   * @param condition matches the call if this process still owns it.
   * @throws CallLeaseLostError
   */
  async #update(
    queries: Queries,
    values: Partial<typeof calls.$inferInsert>,
    condition = isLeasedBy(this.#call.id, this.#owner),
  ): Promise<void> {
    const [changed] = await queries
      .update(calls)
      .set({ ...values, updatedAt: sql`now()` })
      .where(condition)
      .returning({ id: calls.id });
    if (!changed) throw new CallLeaseLostError();
  }
}
