import type { Carrier, Line, OutgoingCall } from './carrier.ts';
import { readNumberTraits } from './number-traits.ts';
import type { OutcomeWeights } from './number-traits.ts';
import { SimulatedCustomer } from './simulated-customer.ts';
import { SimulatedLine } from './simulated-line.ts';
import type { Wait } from './simulated-line.ts';
import { customerSentences } from './simulated-sentences.ts';

/**
 * Simulates calls to try the service without a telephony provider. The digits of the number determine how the simulated
 * customer behaves; see {@link readNumberTraits}.
 */
export class SimulatedCarrier implements Carrier {
  readonly #weights: OutcomeWeights;
  readonly #wait: Wait;

  constructor(weights: OutcomeWeights, wait: Wait) {
    this.#weights = weights;
    this.#wait = wait;
  }

  place(call: OutgoingCall): Promise<Line> {
    const traits = readNumberTraits(call.to, this.#weights);
    const customer = new SimulatedCustomer(traits, customerSentences(call.language));
    return Promise.resolve(new SimulatedLine(call, traits, customer, this.#wait));
  }

  /**
   * Has a simulated customer call the service. The digits of their number determine how they behave, as above, but a
   * person always calls.
   *
   * @param from the customer's number; empty if it is withheld.
   */
  ring(from: string, { language, speed }: { language: string; speed: number }): Line {
    const traits = { ...readNumberTraits(from, this.#weights), outcome: 'human' as const, ringing: 0 };
    const customer = new SimulatedCustomer(traits, customerSentences(language), true);
    const call = { from, to: '', ringingTime: 1, record: false, language, speechSpeed: speed };
    return new SimulatedLine(call, traits, customer, this.#wait);
  }
}
