import { Webhook } from 'standardwebhooks';

/**
 * Returns the headers of a delivery by the Standard Webhooks specification, signed with every valid secret.
 *
 * @param id the webhook id, the same for every attempt.
 * @param sentAt the time of this attempt.
 */
export function signWebhook(
  secrets: readonly string[],
  id: string,
  sentAt: Date,
  payload: string,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, payload)).join(' '),
  };
}
