import { CarrierError } from '../carrier-error.ts';
import { findOwnedNumbers } from './find-numbers.ts';
import { createTwilioClient, translateError } from './twilio-client.ts';
import type { TwilioConfig } from './twilio-config.ts';
import { WebhookUrls } from './webhook-urls.ts';

/**
 * Finds a number of the account.
 *
 * @returns a function that points the number at this service. It throws CarrierError.
 * @throws CarrierError if the account does not own the number.
 */
export async function findTwilioNumber(
  config: TwilioConfig,
  phoneNumber: string,
): Promise<() => Promise<void>> {
  const client = createTwilioClient(config);
  const request = async <Result>(send: () => Promise<Result>) => {
    try {
      return await send();
    } catch (error) {
      throw translateError(error, 'the request for the number');
    }
  };
  const [owned] = await request(() => findOwnedNumbers(client, phoneNumber));
  if (!owned) {
    throw new CarrierError(
      `The Twilio account does not own ${phoneNumber}. Buy it first, or check the digits.`,
    );
  }
  const voiceUrl = new WebhookUrls(config.publicUrl).incoming;
  return async () => {
    await request(() => client.incomingPhoneNumbers(owned.sid).update({ voiceUrl, voiceMethod: 'POST' }));
  };
}
