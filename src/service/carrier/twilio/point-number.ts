import { CarrierError } from '../carrier-numbers.ts';
import { findOwnedNumbers } from './find-numbers.ts';
import { createTwilioClient, translateError } from './twilio-client.ts';
import type { TwilioConfig } from './twilio-config.ts';
import { WebhookUrls } from './webhook-urls.ts';

/**
 * Has calls to a number of the account reach this service.
 *
 * @throws CarrierError if the account does not own the number.
 */
export async function pointTwilioNumber(config: TwilioConfig, phoneNumber: string): Promise<void> {
  const client = createTwilioClient(config);
  try {
    const [owned] = await findOwnedNumbers(client, phoneNumber);
    if (!owned) {
      throw new CarrierError(
        `The Twilio account does not own ${phoneNumber}. Buy it first, or check the digits.`,
      );
    }
    const voiceUrl = new WebhookUrls(config.publicUrl).incoming;
    await client.incomingPhoneNumbers(owned.sid).update({ voiceUrl, voiceMethod: 'POST' });
  } catch (error) {
    if (error instanceof CarrierError) throw error;
    throw translateError(error, 'the change of the number');
  }
}
