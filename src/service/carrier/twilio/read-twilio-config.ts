import type { TwilioConfig } from './twilio-config.ts';

/** The raw settings of the carrier. */
export interface TwilioSettings {
  accountSid: string | undefined;
  authToken: string | undefined;
  apiKey: string | undefined;
  apiSecret: string | undefined;
  apiUrl: string | undefined;
  phoneNumber: string | undefined;
  callsPerSecond: number;
  publicUrl: string | undefined;
}

/**
 * Checks the settings that only Twilio needs.
 *
 * @throws Error with a message that starts with the name of the variable.
 */
export function readTwilioConfig(settings: TwilioSettings): TwilioConfig {
  const { accountSid, authToken, apiKey, apiSecret, apiUrl, phoneNumber, callsPerSecond, publicUrl } =
    settings;
  if (accountSid === undefined) {
    throw new Error('TWILIO_ACCOUNT_SID must be set for CARRIER=twilio. The Twilio Console shows it.');
  }
  if (authToken === undefined) {
    throw new Error(
      "TWILIO_AUTH_TOKEN must be set for CARRIER=twilio, also with an API key: it proves that requests are Twilio's.",
    );
  }
  if ((apiKey === undefined) !== (apiSecret === undefined)) {
    throw new Error('TWILIO_API_KEY and TWILIO_API_SECRET must be set together.');
  }
  if (publicUrl === undefined || !publicUrl.startsWith('https://')) {
    throw new Error(
      'PUBLIC_URL must be the https address of this service for CARRIER=twilio: Twilio connects calls to it.',
    );
  }
  return {
    accountSid,
    authToken,
    apiKey: apiKey !== undefined && apiSecret !== undefined ? { sid: apiKey, secret: apiSecret } : undefined,
    apiUrl: apiUrl?.replace(/\/+$/, ''),
    phoneNumber,
    callsPerSecond,
    publicUrl: publicUrl.replace(/\/+$/, ''),
  };
}
