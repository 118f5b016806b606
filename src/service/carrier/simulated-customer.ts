import type { NumberTraits } from './number-traits.ts';
import type { CustomerSentences } from './simulated-sentences.ts';

/** The customer's next action, or the loss of the line, after a pause of `after` seconds. */
export type Reaction =
  | { after: number; say: string }
  | { after: number; press: string }
  | { after: number; hangUp: true }
  | { after: number; loseLine: true };

/**
 * The person or machine that answers a simulated call. A person greets, asks questions one by one, says goodbye, and
 * hangs up after the reply.
 */
export class SimulatedCustomer {
  readonly #traits: NumberTraits;
  readonly #sentences: CustomerSentences;
  /** Sentences still to say. */
  readonly #script: string[];
  #spoken = 0;

  /** @param isCaller whether the customer made the call. */
  constructor(traits: NumberTraits, sentences: CustomerSentences, isCaller = false) {
    this.#traits = traits;
    this.#sentences = sentences;
    this.#script = scriptOf(
      traits,
      isCaller ? { ...sentences, greeting: sentences.callerGreeting } : sentences,
    );
  }

  /** Reacts to the connection: a person waits for the caller to speak, and asks who is there after a while. */
  onAnswered(): Reaction | undefined {
    if (this.#traits.isFax) return undefined;
    if (this.#traits.outcome === 'machine') return { after: 0.5, say: this.#sentences.machine };
    return this.#traits.behavior === 'stays-silent' ? undefined : { after: 4, say: this.#sentences.pickUp };
  }

  /**
   * Cuts off the caller's second sentence after a second, if the number has such an event.
   *
   * @param canInterrupt whether the customer's words stop the caller.
   */
  onCallerBegan(canInterrupt: boolean): Exclude<Reaction, { press: string }> | undefined {
    const { outcome, event } = this.#traits;
    if (outcome === 'machine' || this.#spoken !== 1) return undefined;
    if (event === 'hangs-up-during-speech') return { after: 1, hangUp: true };
    if (event === 'loses-line') return { after: 1, loseLine: true };
    const say = event === 'interrupts' && canInterrupt ? this.#script.shift() : undefined;
    if (say === undefined) return undefined;
    this.#spoken += 1;
    return { after: 1, say };
  }

  /** Reacts to the caller's words. */
  onCallerSpoke(): Reaction | undefined {
    this.#spoken += 1;
    if (this.#traits.outcome === 'machine' || this.#traits.behavior === 'stays-silent') return undefined;
    if (this.#traits.event === 'presses-keys' && this.#spoken === 2) return { after: 1, press: '1' };
    const sentence = this.#script.shift();
    if (sentence === undefined) return { after: 1, hangUp: true };
    return { after: 1, say: sentence };
  }

  /** Reacts to the end of the customer's own words: after goodbye, does not wait long for a reply. */
  onCustomerSpoke(): Reaction | undefined {
    if (this.#traits.outcome === 'machine' || this.#script.length > 0) return undefined;
    return { after: 6, hangUp: true };
  }

  /** Waits for the answer to a pressed key. */
  onCustomerPressed(): Reaction | undefined {
    return undefined;
  }
}

function scriptOf({ behavior, questions }: NumberTraits, sentences: CustomerSentences): string[] {
  if (behavior === 'opts-out') return [sentences.optOut];
  if (behavior !== 'talks') return [];
  return [sentences.greeting, ...sentences.questions.slice(0, questions), sentences.goodbye];
}
