import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Carrier } from './carrier.ts';
import type { CarrierConfig } from './carrier-config.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';
import { SimulatedCarrier } from './simulated-carrier.ts';
import { OperatorError } from '../operator-error.ts';
import type { LineFactory } from '../realtime/line-factory.ts';
import { voicePackage } from '../voice/voice-module.ts';

/** Dependencies of the carriers. */
export interface CarrierDependencies {
  /** The numbers that the simulated carrier sells. */
  numbers: CarrierNumbers;
  /** Speech and realtime models of calls whose audio the service gets. */
  lineFactory: LineFactory;
  /** Why the package for voice calls cannot provide speech, one sentence each. */
  voiceProblems: readonly string[];
  log: Logger;
}

/**
 * Creates the configured carrier.
 *
 * @throws OperatorError if Asterisk is configured, but speech is not.
 */
export async function createCarrier(
  { secondMs, outcomes, twilio, asterisk }: CarrierConfig,
  { numbers, lineFactory, voiceProblems, log }: CarrierDependencies,
): Promise<Carrier> {
  if (twilio) {
    const { TwilioCarrier } = await import('./twilio/twilio-carrier.ts');
    return new TwilioCarrier(twilio, lineFactory, log);
  }
  if (asterisk) {
    if (!lineFactory.isComplete) throw new OperatorError(withoutSpeech(voiceProblems));
    const { AsteriskCarrier } = await import('./asterisk/asterisk-carrier.ts');
    return new AsteriskCarrier(asterisk, lineFactory, log);
  }
  const wait = async (seconds: number, signal?: AbortSignal) => {
    const milliseconds = seconds * secondMs;
    const options = signal && { signal };
    await (milliseconds === 0 ? nextTurn(undefined, options) : pause(milliseconds, undefined, options));
  };
  return new SimulatedCarrier({ outcomes, secondMs, wait, numbers, log });
}

/** The message if CARRIER=asterisk is set, but nothing can speak. */
export function withoutSpeech(problems: readonly string[]): string {
  const reason =
    problems.length > 0
      ? problems.join(' ')
      : `the package ${voicePackage} is not installed, or VOICE is off.`;
  return `CARRIER=asterisk needs SPEECH_BASE_URL or SPEECH_API_KEY, or offline speech: ${reason}`;
}
