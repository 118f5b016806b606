import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Carrier } from './carrier.ts';
import type { OutcomeWeights } from './number-traits.ts';
import { SimulatedCarrier } from './simulated-carrier.ts';

/** The carrier that the settings ask for. There is the simulated one so far. */
export function createCarrier({
  secondMs,
  outcomes,
}: {
  secondMs: number;
  outcomes: OutcomeWeights;
}): Carrier {
  return new SimulatedCarrier(outcomes, async (seconds, signal) => {
    const milliseconds = seconds * secondMs;
    const options = signal && { signal };
    await (milliseconds === 0 ? nextTurn(undefined, options) : pause(milliseconds, undefined, options));
  });
}
