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
  readonly #log: CallStore;
  readonly #options: RetryingOptions;
  readonly #logger: Logger;

  constructor(log: CallStore, options: RetryingOptions, logger: Logger) {
    this.#log = log;
    this.#options = options;
    this.#logger = logger;
  }

  saveMessages(messages: readonly CallMessage[]): Promise<EndReason | undefined> {
    return this.#retry(() => this.#log.saveMessages(messages));
  }

  chargeMinute(minute: number): ReturnType<CallStore['chargeMinute']> {
    return this.#retry(() => this.#log.chargeMinute(minute));
  }

  release(duration: number, transferTo?: string): Promise<void> {
    return this.#retry(() => this.#log.release(duration, transferTo));
  }

  #retry<Result>(change: () => Promise<Result>): Promise<Result> {
    const { leaseMs, hasEnded, closing, interrupted } = this.#options;
    const deadline = performance.now() + leaseMs;
    return retryDuringOutage(change, {
      mayRetry: () =>
        !interrupted.aborted && (performance.now() <= deadline || (hasEnded() && !closing.aborted)),
      onFirstFailure: (error) => {
        this.#logger.warn({ err: error }, 'could not store the progress of a call; retrying');
      },
    });
  }
}
