import type { Line, LineEvent, OutgoingCall } from './carrier.ts';
import type { NumberTraits } from './number-traits.ts';
import type { Reaction, SimulatedCustomer } from './simulated-customer.ts';
import { speakingTime } from './speaking-time.ts';

/** Lets so many simulated seconds go by. */
export type Wait = (seconds: number, signal?: AbortSignal) => Promise<void>;

type Planned = { at: number; event: LineEvent };

/**
 * A call whose far end is made up. Its seconds are its own: however fast `wait` lets them go by, the same call takes
 * the same number of them.
 */
export class SimulatedLine implements Line {
  readonly #call: OutgoingCall;
  readonly #customer: SimulatedCustomer;
  readonly #wait: Wait;
  readonly #planned: Planned[] = [];
  #now = 0;

  constructor(call: OutgoingCall, traits: NumberTraits, customer: SimulatedCustomer, wait: Wait) {
    this.#call = call;
    this.#customer = customer;
    this.#wait = wait;
    this.#planned = beginning(call, traits);
  }

  get now(): number {
    return this.#now;
  }

  async next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    const until = this.#now + seconds;
    const [first] = this.#planned;
    if (!first || first.at > until) {
      await this.#pass(until - this.#now, signal);
      return undefined;
    }
    await this.#pass(first.at - this.#now, signal);
    this.#planned.shift();
    this.#goOn(first.event);
    return first.event;
  }

  async say(text: string, seconds: number, signal: AbortSignal): Promise<void> {
    await this.#pass(Math.min(seconds, speakingTime(text, this.#call.speechSpeed)), signal);
    this.#plan(this.#customer.hear());
  }

  async transfer(): Promise<void> {
    await this.hangUp();
  }

  hangUp(): Promise<void> {
    this.#planned.length = 0;
    return Promise.resolve();
  }

  #goOn(event: LineEvent): void {
    if (event.type === 'answered') this.#plan(this.#customer.pickUp());
    else if (event.type === 'said') this.#plan(this.#customer.speak());
  }

  /** What a customer was about to do, they do not do when something else comes up. */
  #plan(reaction: Reaction | undefined): void {
    this.#planned.length = 0;
    if (reaction === undefined) return;
    const at = this.#now + reaction.after;
    if ('hangUp' in reaction) {
      this.#planned.push({ at, event: { type: 'hung-up' } });
      return;
    }
    const seconds = speakingTime(reaction.say);
    this.#planned.push({ at: at + seconds, event: { type: 'said', text: reaction.say, seconds } });
  }

  async #pass(seconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (seconds <= 0) return;
    await this.#wait(seconds, signal);
    this.#now = tenths(this.#now + seconds);
  }
}

/** Sums of tenths stay tenths. */
const tenths = (seconds: number) => Math.round(seconds * 10) / 10;

/** Everything up to an answer. */
function beginning({ ringingTime }: OutgoingCall, { outcome, ringing }: NumberTraits): Planned[] {
  const unreached = (at: number, reason: 'busy' | 'no-answer' | 'failed') => ({
    at,
    event: { type: 'unreached', reason } as const,
  });
  if (outcome === 'failed' || outcome === 'busy') return [unreached(1, outcome)];
  const rings: Planned = { at: 1, event: { type: 'ringing' } };
  if (outcome === 'no-answer' || ringing > ringingTime)
    return [rings, unreached(1 + ringingTime, 'no-answer')];
  return [rings, { at: 1 + ringing, event: { type: 'answered', by: outcome } }];
}
