import type { CallSettings } from './call-parts.ts';

/** What is to be done about a silence, and when: in seconds of the line. */
export interface Due {
  what: 'end' | 'reengage';
  at: number;
}

/**
 * Measures the customer's silence. It begins when the assistant has finished, or the customer has; what the assistant
 * says to break it neither ends it nor counts towards it.
 */
export class Silence {
  readonly #settings: CallSettings;
  #since: number;
  #lastAttempt: number;
  #heardYet = false;

  constructor(settings: CallSettings, now: number) {
    this.#settings = settings;
    this.#since = now;
    this.#lastAttempt = now;
  }

  /** Until when the customer may be silent, or the assistant should be: whichever comes first. */
  due(): Due {
    const { maxSilence, maxInitialSilence, reengagementInterval } = this.#settings;
    const end = this.#since + (this.#heardYet ? maxSilence : (maxInitialSilence ?? maxSilence));
    const reengage = this.#lastAttempt + reengagementInterval;
    return end <= reengage ? { what: 'end', at: end } : { what: 'reengage', at: reengage };
  }

  heard(now: number): void {
    this.#heardYet = true;
    this.spoke(now);
  }

  spoke(now: number): void {
    this.#since = now;
    this.#lastAttempt = now;
  }

  /** The assistant has said something because of the silence. */
  reengaged(silentSince: number, began: number, ended: number): void {
    this.#since = silentSince + (ended - began);
    this.#lastAttempt = ended;
  }

  get since(): number {
    return this.#since;
  }
}
