import { Webhook } from 'standardwebhooks';

/**
 * The headers of a delivery by the Standard Webhooks convention, signed with every secret that holds.
 *
 * @param id the same for every attempt.
 * @param moment of this attempt.
 */
export function signWebhook(
  secrets: readonly string[],
  id: string,
  moment: Date,
  payload: string,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(moment.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, moment, payload)).join(' '),
  };
}
