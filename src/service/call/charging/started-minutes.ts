import type { LeasedLine } from '../connection/leased-line.ts';
import type { CallStore } from '../store/call-store.ts';
import { isPast } from '../turns/is-past.ts';

const secondsPerMinute = 60;

export interface StartedMinutesOptions {
  line: LeasedLine;
  callStore: CallStore;
  /** Seconds. Later minutes are not charged. */
  maxDuration: number;
  /** On the line's clock. */
  answeredAt: number;
  /** Minutes that were charged on an earlier line of the call. */
  charged: number;
}

/** Charges for each minute of a call when it starts, whatever the call is doing then. */
export class StartedMinutes {
  readonly #options: StartedMinutesOptions;
  readonly #failure = new AbortController();
  #charged: number;
  #isCancelled = false;
  #charging: Promise<void> = Promise.resolve();
  #cancelNext: () => void = () => undefined;

  constructor(options: StartedMinutesOptions) {
    this.#options = options;
    this.#charged = options.charged;
  }

  /** Aborted if a minute could not be charged. The reason is the error of the store. */
  get signal(): AbortSignal {
    return this.#failure.signal;
  }

  /** Charges for the minutes that have started, and for the others when they start. */
  start(): Promise<void> {
    this.#charging = this.#charge();
    return this.#charging;
  }

  /** Charges for no minute that starts later. A pending charge continues. */
  cancel(): void {
    this.#isCancelled = true;
    this.#cancelNext();
  }

  /** Stops charging. Resolves when no charge is pending. */
  async stop(): Promise<void> {
    this.cancel();
    await this.#charging;
  }

  async #charge(): Promise<void> {
    const { line, callStore, answeredAt, maxDuration } = this.#options;
    const last = Math.ceil(maxDuration / secondsPerMinute);
    const nextAt = () => answeredAt + this.#charged * secondsPerMinute;
    try {
      while (this.#charged < last && isPast(nextAt(), line.now)) {
        await callStore.chargeMinute(this.#charged + 1);
        this.#charged += 1;
      }
    } catch (error) {
      this.#failure.abort(error);
      return;
    }
    if (this.#charged < last && !this.#isCancelled) this.#cancelNext = line.at(nextAt(), () => this.start());
  }
}
