import type { OwnedLine } from './owned-line.ts';
import type { CallStore } from './call-store.ts';
import { MustEndError } from './must-end-error.ts';
import { isPast } from './is-past.ts';

const secondsPerMinute = 60;

export interface StartedMinutesOptions {
  line: OwnedLine;
  callStore: CallStore;
  /** Seconds. Later minutes are not charged. */
  maxDuration: number;
  /** On the line's clock. */
  answeredAt: number;
  /** Minutes that were charged on an earlier line of the call. */
  charged: number;
}

/** Charges for every started minute of a call. */
export class StartedMinutes {
  readonly #options: StartedMinutesOptions;
  #charged: number;

  constructor(options: StartedMinutesOptions) {
    this.#options = options;
    this.#charged = options.charged;
  }

  /** When the next minute starts, on the line's clock. */
  get nextAt(): number {
    return this.#options.answeredAt + this.#charged * secondsPerMinute;
  }

  /** @throws {MustEndError} if a minute cannot be charged. */
  async charge(): Promise<void> {
    const { line, callStore, maxDuration } = this.#options;
    const last = Math.ceil(maxDuration / secondsPerMinute);
    while (this.#charged < last && isPast(this.nextAt, line.now)) {
      const isPaid = await callStore.chargeMinute(this.#charged + 1);
      if (isPaid !== true) throw new MustEndError(isPaid === false ? 'balance' : isPaid);
      this.#charged += 1;
    }
  }
}
