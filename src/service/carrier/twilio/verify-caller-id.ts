import { findCallerIds, findOwnedNumbers } from './find-numbers.ts';
import { createTwilioClient, translateError } from './twilio-client.ts';
import type { TwilioConfig } from './twilio-config.ts';

/**
 * Checks whether calls may show a number: it is a number of the account or a verified caller ID. If not, Twilio calls the
 * number and asks for a code, which verifies it.
 *
 * @returns the code to enter; undefined if the number may be shown.
 * @throws CarrierError
 */
export async function verifyCallerId(config: TwilioConfig, phoneNumber: string): Promise<string | undefined> {
  const client = createTwilioClient(config);
  try {
    const owned = await findOwnedNumbers(client, phoneNumber);
    const verified = owned.length > 0 ? owned : await findCallerIds(client, phoneNumber);
    if (verified.length > 0) return undefined;
    const { validationCode } = await client.validationRequests.create({
      phoneNumber,
      friendlyName: phoneNumber,
    });
    return validationCode;
  } catch (error) {
    throw translateError(error, 'the verification of the number');
  }
}
