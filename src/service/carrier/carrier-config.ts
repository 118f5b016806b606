import type { AsteriskConfig } from './asterisk/asterisk-config.ts';
import type { OutcomeWeights } from './number-traits.ts';
import type { TwilioConfig } from './twilio/twilio-config.ts';

/** The settings of the carriers. Calls are simulated unless Twilio or Asterisk is configured. */
export interface CarrierConfig {
  /** Duration of a second of a simulated call in real milliseconds. */
  secondMs: number;
  outcomes: OutcomeWeights;
  twilio: TwilioConfig | undefined;
  asterisk: AsteriskConfig | undefined;
}
