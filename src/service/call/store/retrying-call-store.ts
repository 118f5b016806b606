import type { EndReason } from '../../../contract/call.ts';
import type { Logger } from 'pino';
import type { CallMessage } from '../../db/calls-table.ts';
import { retryDuringOutage } from '../../db/retry-during-outage.ts';
import type { CallStore } from './call-store.ts';

/** Decides how long a call waits for the database. */
export interface RetryingOptions {
  /** Maximum wait in milliseconds while the customer is on the line. */
  leaseMs: number;
  /** Whether the customer has left, so that the wait may be longer. */
  hasEnded: () => boolean;
  /** Aborted when the process has to stop. It still waits for `leaseMs`, since another process continues the call. */
  closing: AbortSignal;
  /** Aborted when the call is interrupted because no other process can continue it. There are no further attempts then. */
  interrupted: AbortSignal;
}

/** Retries storing a call's progress while the database is unavailable. */
export class RetryingCallStore implements CallStore {
  readonly #store: CallStore;
  readonly #options: RetryingOptions;
  readonly #log: Logger;

  constructor(store: CallStore, options: RetryingOptions, log: Logger) {
    this.#store = store;
    this.#options = options;
    this.#log = log;
  }

  saveMessages(messages: readonly CallMessage[]): Promise<EndReason | undefined> {
    return this.#retry(() => this.#store.saveMessages(messages));
  }

  chargeMinute(minute: number): Promise<void> {
    return this.#retry(() => this.#store.chargeMinute(minute));
  }

  release(duration: number, transferTo?: string): Promise<void> {
    return this.#retry(() => this.#store.release(duration, transferTo));
  }

  #retry<Result>(change: () => Promise<Result>): Promise<Result> {
    const { leaseMs, hasEnded, closing, interrupted } = this.#options;
    const deadline = performance.now() + leaseMs;
    return retryDuringOutage(change, {
      mayRetry: () =>
        !interrupted.aborted && (performance.now() <= deadline || (hasEnded() && !closing.aborted)),
      onFirstFailure: (error) => {
        this.#log.warn({ err: error }, 'could not store the progress of a call; retrying');
      },
    });
  }
}
