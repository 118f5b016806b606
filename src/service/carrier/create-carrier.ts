import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { OutcomeWeights } from './number-traits.ts';
import { SimulatedCarrier } from './simulated-carrier.ts';

/** Creates the carrier. So far there is only the simulated one. */
export function createCarrier({
  secondMs,
  outcomes,
}: {
  secondMs: number;
  outcomes: OutcomeWeights;
}): SimulatedCarrier {
  return new SimulatedCarrier(outcomes, async (seconds, signal) => {
    const milliseconds = seconds * secondMs;
    const options = signal && { signal };
    await (milliseconds === 0 ? nextTurn(undefined, options) : pause(milliseconds, undefined, options));
  });
}
