import type { Carrier, Line, OutgoingCall } from './carrier.ts';
import { traitsOf } from './number-traits.ts';
import type { OutcomeWeights } from './number-traits.ts';
import { SimulatedCustomer } from './simulated-customer.ts';
import { SimulatedLine } from './simulated-line.ts';
import type { Wait } from './simulated-line.ts';
import { customerSentences } from './simulated-sentences.ts';

/**
 * Calls nobody: a made-up customer answers, or does not, as the digits of the number say. For trying the service
 * without a telephony provider.
 */
export class SimulatedCarrier implements Carrier {
  readonly #weights: OutcomeWeights;
  readonly #wait: Wait;

  constructor(weights: OutcomeWeights, wait: Wait) {
    this.#weights = weights;
    this.#wait = wait;
  }

  place(call: OutgoingCall): Promise<Line> {
    const traits = traitsOf(call.to, this.#weights);
    const customer = new SimulatedCustomer(traits, customerSentences(call.language));
    return Promise.resolve(new SimulatedLine(call, traits, customer, this.#wait));
  }
}
