import type { Line, LineEvent, OutgoingCall } from './carrier.ts';
import type { NumberTraits } from './number-traits.ts';
import type { Reaction, SimulatedCustomer } from './simulated-customer.ts';
import { speakingTime } from './speaking-time.ts';

/** Waits for the given number of simulated seconds. */
export type Wait = (seconds: number, signal?: AbortSignal) => Promise<void>;

type ScheduledEvent = { at: number; event: LineEvent };

/**
 * A simulated call with its own clock: the same call takes the same number of simulated seconds, however fast they
 * pass.
 */
export class SimulatedLine implements Line {
  readonly #call: OutgoingCall;
  readonly #customer: SimulatedCustomer;
  readonly #wait: Wait;
  readonly #scheduled: ScheduledEvent[] = [];
  #now = 0;

  constructor(call: OutgoingCall, traits: NumberTraits, customer: SimulatedCustomer, wait: Wait) {
    this.#call = call;
    this.#customer = customer;
    this.#wait = wait;
    this.#scheduled = dialingEvents(call, traits);
  }

  get now(): number {
    return this.#now;
  }

  async next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    const until = this.#now + seconds;
    const [first] = this.#scheduled;
    if (!first || first.at > until) {
      await this.#advance(until - this.#now, signal);
      return undefined;
    }
    await this.#advance(first.at - this.#now, signal);
    this.#scheduled.shift();
    this.#react(first.event);
    return first.event;
  }

  async say(text: string, seconds: number, signal: AbortSignal): Promise<void> {
    await this.#advance(Math.min(seconds, speakingTime(text, this.#call.speechSpeed)), signal);
    this.#schedule(this.#customer.onCallerSpoke());
  }

  async transfer(): Promise<void> {
    await this.hangUp();
  }

  hangUp(): Promise<void> {
    this.#scheduled.length = 0;
    return Promise.resolve();
  }

  #react(event: LineEvent): void {
    if (event.type === 'answered') this.#schedule(this.#customer.onAnswered());
    else if (event.type === 'said') this.#schedule(this.#customer.onCustomerSpoke());
  }

  /** Replaces the customer's scheduled reaction. */
  #schedule(reaction: Reaction | undefined): void {
    this.#scheduled.length = 0;
    if (reaction === undefined) return;
    const at = this.#now + reaction.after;
    if ('hangUp' in reaction) {
      this.#scheduled.push({ at, event: { type: 'hung-up' } });
      return;
    }
    const seconds = speakingTime(reaction.say);
    this.#scheduled.push({ at: at + seconds, event: { type: 'said', text: reaction.say, seconds } });
  }

  async #advance(seconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (seconds <= 0) return;
    await this.#wait(seconds, signal);
    this.#now = roundToTenth(this.#now + seconds);
  }
}

/** Corrects rounding errors of sums. */
const roundToTenth = (seconds: number) => Math.round(seconds * 10) / 10;

/** The events until the call is answered or fails. */
function dialingEvents({ ringingTime }: OutgoingCall, { outcome, ringing }: NumberTraits): ScheduledEvent[] {
  const unreached = (at: number, reason: 'busy' | 'no-answer' | 'failed') => ({
    at,
    event: { type: 'unreached', reason } as const,
  });
  if (outcome === 'failed' || outcome === 'busy') return [unreached(1, outcome)];
  const rings: ScheduledEvent = { at: 1, event: { type: 'ringing' } };
  if (outcome === 'no-answer' || ringing > ringingTime)
    return [rings, unreached(1 + ringingTime, 'no-answer')];
  return [rings, { at: 1 + ringing, event: { type: 'answered', by: outcome } }];
}
