import type { CallSettings } from '../store/call-store.ts';

/** The next action and its time, in seconds of the line's clock. */
export interface DueAction {
  action: 'end' | 'reengage';
  at: number;
}

/**
 * Measures the customer's silence. It starts when either side stops speaking. Re-engagement by the assistant neither
 * resets nor extends it.
 */
export class SilenceTimer {
  readonly #settings: CallSettings;
  #since: number;
  #lastAttempt: number;
  #customerHasSpoken: boolean;

  /** @param customerHasSpoken whether the customer has spoken on an earlier line of the call. */
  constructor(settings: CallSettings, now: number, customerHasSpoken = false) {
    this.#settings = settings;
    this.#customerHasSpoken = customerHasSpoken;
    this.#since = now;
    this.#lastAttempt = now;
  }

  /** Returns the next action: end the call, or re-engage the customer. */
  due(): DueAction {
    const { maxSilence, maxInitialSilence, reengagementInterval } = this.#settings;
    const end = this.#since + (this.#customerHasSpoken ? maxSilence : (maxInitialSilence ?? maxSilence));
    const reengage = this.#lastAttempt + reengagementInterval;
    return end <= reengage ? { action: 'end', at: end } : { action: 'reengage', at: reengage };
  }

  /** Records when the customer last spoke, whether or not it was understood, or pressed a key. */
  customerActive(at: number): void {
    this.#since = Math.max(this.#since, at);
    this.#lastAttempt = Math.max(this.#lastAttempt, at);
  }

  customerSpoke(now: number): void {
    this.#customerHasSpoken = true;
    this.assistantSpoke(now);
  }

  assistantSpoke(now: number): void {
    this.#since = now;
    this.#lastAttempt = now;
  }

  /** Excludes the assistant's re-engagement from the silence. */
  reengaged(silentSince: number, startedAt: number, endedAt: number): void {
    this.#since = silentSince + (endedAt - startedAt);
    this.#lastAttempt = endedAt;
  }

  get since(): number {
    return this.#since;
  }
}
