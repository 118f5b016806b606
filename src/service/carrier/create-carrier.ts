import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Carrier } from './carrier.ts';
import type { CarrierConfig } from './carrier-config.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';
import { SimulatedCarrier } from './simulated-carrier.ts';

/**
 * Creates the configured carrier.
 *
 * @param numbers those that the simulated carrier sells.
 */
export async function createCarrier(
  { secondMs, outcomes, twilio, asterisk }: CarrierConfig,
  numbers: CarrierNumbers,
  log: Logger,
): Promise<Carrier> {
  if (twilio) {
    const { TwilioCarrier } = await import('./twilio/twilio-carrier.ts');
    return new TwilioCarrier(twilio, log);
  }
  if (asterisk) {
    const [{ AsteriskCarrier }, { OpenAiSpeech }] = await Promise.all([
      import('./asterisk/asterisk-carrier.ts'),
      import('../voice/openai-speech.ts'),
    ]);
    return new AsteriskCarrier(asterisk, new OpenAiSpeech(asterisk.voice), log);
  }
  const wait = async (seconds: number, signal?: AbortSignal) => {
    const milliseconds = seconds * secondMs;
    const options = signal && { signal };
    await (milliseconds === 0 ? nextTurn(undefined, options) : pause(milliseconds, undefined, options));
  };
  return new SimulatedCarrier({ outcomes, secondMs, wait, numbers, log });
}
