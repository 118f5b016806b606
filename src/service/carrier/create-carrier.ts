import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';
import { SimulatedCarrier } from './simulated-carrier.ts';

/**
 * Creates the configured carrier.
 *
 * @param numbers those that the simulated carrier sells.
 */
export async function createCarrier(
  { secondMs, outcomes, twilio }: Config['carrier'],
  numbers: CarrierNumbers,
  log: Logger,
): Promise<Carrier> {
  if (twilio) {
    const { TwilioCarrier } = await import('./twilio/twilio-carrier.ts');
    return new TwilioCarrier(twilio, log);
  }
  const wait = async (seconds: number, signal?: AbortSignal) => {
    const milliseconds = seconds * secondMs;
    const options = signal && { signal };
    await (milliseconds === 0 ? nextTurn(undefined, options) : pause(milliseconds, undefined, options));
  };
  return new SimulatedCarrier({ outcomes, secondMs, wait, numbers, log });
}
