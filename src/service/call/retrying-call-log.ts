import type { EndReason } from '../../contract/call.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CallMessage } from '../db/calls-table.ts';
import { isOutage } from '../db/is-outage.ts';
import type { CallLog } from './call-log.ts';

const pauseMs = 250;

/** Retries storing a call's progress while the database is unavailable, as long as the call's lease may be valid. */
export class RetryingCallLog implements CallLog {
  readonly #log: CallLog;
  readonly #leaseMs: number;
  readonly #logger: Logger;

  constructor(log: CallLog, leaseMs: number, logger: Logger) {
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#logger = logger;
  }

  saveLines(lines: readonly CallMessage[]): Promise<EndReason | undefined> {
    return this.#retry(() => this.#log.saveLines(lines));
  }

  chargeMinute(minute: number): ReturnType<CallLog['chargeMinute']> {
    return this.#retry(() => this.#log.chargeMinute(minute));
  }

  release(duration: number, transferTo?: string): Promise<void> {
    return this.#retry(() => this.#log.release(duration, transferTo));
  }

  async #retry<Result>(change: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.#leaseMs;
    for (;;) {
      try {
        return await change();
      } catch (error) {
        if (!isOutage(error) || performance.now() > deadline) throw error;
        this.#logger.warn({ err: error }, 'could not store the progress of a call; retrying');
        await pause(pauseMs);
      }
    }
  }
}
