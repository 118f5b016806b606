import { and, inArray, isNotNull, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { AnsweredBy, Carrier } from '../carrier/carrier.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { Notifications } from '../db/notifications.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { LeasedLine } from './connection/leased-line.ts';
import { isOpen } from './is-open.ts';

export interface LeasedCallsDependencies {
  database: Database;
  carrier: Carrier;
  leaseMs: number;
  log: Logger;
}

/** The notification channel for who answered a call. */
const channel = 'calls_identified';

/** The calls whose leases this process holds, by call id. */
export class LeasedCalls {
  readonly #dependencies: LeasedCallsDependencies;
  readonly #lines = new Map<number, LeasedLine>();
  /** Transferred calls that end with this process. */
  readonly #transferred = new Set<number>();
  readonly #notifications: Notifications;
  /** Whether any process may receive a carrier's report. The simulated carrier reports to the process of the call. */
  readonly #isShared: boolean;

  constructor(dependencies: LeasedCallsDependencies) {
    this.#dependencies = dependencies;
    this.#isShared = dependencies.carrier.routes !== undefined;
    const onNotification = (payload: string) => {
      const [callId, by] = payload.split(' ');
      if (isAnsweredBy(by)) this.#lines.get(Number(callId))?.identify(by);
    };
    this.#notifications = new Notifications(
      dependencies.database,
      channel,
      onNotification,
      dependencies.log,
      this.#readMissed,
    );
    if (this.#isShared) this.#notifications.open();
  }

  add(callId: number, line: LeasedLine): void {
    this.#lines.set(callId, line);
  }

  /** Does nothing if the call has another line by now. */
  remove(callId: number, line: LeasedLine): void {
    if (this.#lines.get(callId) === line) this.#lines.delete(callId);
  }

  /** Keeps the lease of a transferred call, until {@link removeTransfer}. */
  async addTransfer(callId: number): Promise<void> {
    this.#transferred.add(callId);
    await this.#renewTransfers();
  }

  removeTransfer(callId: number): void {
    this.#transferred.delete(callId);
  }

  /** Notifies the process that has a call's line of who answered it. */
  async identify(callId: number, by: AnsweredBy): Promise<void> {
    const line = this.#lines.get(callId);
    if (line) line.identify(by);
    else if (this.#isShared) {
      await this.#dependencies.database.db.execute(sql`SELECT pg_notify(${channel}, ${`${callId} ${by}`})`);
    }
  }

  async renewLeases(): Promise<void> {
    await this.#renewTransfers();
    if (this.#lines.size === 0) return;
    const owners = [...this.#lines.values()].map(({ owner }) => owner);
    await this.#extendLeases(
      and(inArray(calls.id, [...this.#lines.keys()]), inArray(calls.leaseOwner, owners)),
    );
    // A notification may have been lost.
    if (this.#isShared && !this.#notifications.isReliable) await this.#readIdentified();
  }

  /** The time of the change shows how long the process has lived. */
  async #renewTransfers(): Promise<void> {
    if (this.#transferred.size === 0) return;
    const ids = [...this.#transferred];
    const isTransferred = and(inArray(calls.id, ids), isOpen, isNotNull(calls.transferTo));
    const found = await this.#dependencies.database.db
      .select({ id: calls.id })
      .from(calls)
      .where(isTransferred);
    // The others have ended, perhaps before they were added.
    const open = new Set(found.map(({ id }) => id));
    for (const id of ids) if (!open.has(id)) this.#transferred.delete(id);
    await this.#extendLeases(isTransferred, { updatedAt: sql`now()` });
  }

  /**
   * Calls that another transaction has locked, such as a deletion, are left to the next round: waiting for them could end
   * in a deadlock, and would delay all others.
   */
  async #extendLeases(condition: SQL | undefined, values: { updatedAt?: SQL } = {}): Promise<void> {
    const { database, leaseMs } = this.#dependencies;
    const unlocked = database.db
      .select({ id: calls.id })
      .from(calls)
      .where(condition)
      .for('no key update', { skipLocked: true });
    await database.db
      .update(calls)
      .set({ leaseUntil: leaseEnd(leaseMs), ...values })
      .where(inArray(calls.id, unlocked));
  }

  async close(): Promise<void> {
    await this.#notifications.close();
  }

  /** Notifications were lost while the connection was. */
  readonly #readMissed = (): void => {
    this.#readIdentified().catch((error: unknown) => {
      this.#dependencies.log.warn({ err: error }, 'could not read who answered the calls; retrying');
    });
  };

  async #readIdentified(): Promise<void> {
    if (this.#lines.size === 0) return;
    const found = await this.#dependencies.database.db
      .select({ id: calls.id, answeredBy: calls.answeredBy, isFax: calls.isFax })
      .from(calls)
      .where(inArray(calls.id, [...this.#lines.keys()]));
    for (const call of found) this.#lines.get(call.id)?.identify(answeredByOf(call));
  }
}

/** Returns who answered a call, according to its record. */
export const answeredByOf = ({
  answeredBy,
  isFax,
}: Pick<typeof calls.$inferSelect, 'answeredBy' | 'isFax'>): AnsweredBy => (isFax ? 'fax' : answeredBy);

const isAnsweredBy = (by: string | undefined): by is AnsweredBy =>
  by === 'human' || by === 'machine' || by === 'fax' || by === 'unknown';
