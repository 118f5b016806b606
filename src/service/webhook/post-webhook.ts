import { Webhook } from 'standardwebhooks';
import { databaseTime } from '../db/database-time.ts';
import type { Database } from '../db/database.ts';
import type { FetchGuarded, OutgoingOptions } from '../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import { splitCredentials } from '../outgoing/url-credentials.ts';
import { signingSecrets } from './webhook-secret.ts';

/** A request to the address of a webhook. `webhookId` is the same for every attempt. */
export interface WebhookRequest {
  userId: number;
  url: string;
  webhookId: string;
  payload: string;
}

/**
 * Sends a webhook, signed by the Standard Webhooks specification with every valid secret of its owner. Does not follow
 * redirects: the receiver's new URL belongs in the assistant's settings.
 *
 * @returns the response, or the reason why there is none.
 */
export async function postWebhook(
  { database, fetch }: { database: Database; fetch: FetchGuarded },
  { userId, url, webhookId, payload }: WebhookRequest,
  options: Pick<OutgoingOptions, 'timeoutMs' | 'maxBytes' | 'incompleteBody' | 'signal'>,
): Promise<{ status: number; text: string } | { error: string }> {
  const secrets = await signingSecrets(database, userId);
  // Receivers refuse old and future timestamps, so the clock of this process must not matter.
  const sentAt = await databaseTime(database.db);
  const { address, authorization } = splitCredentials(url);
  const headers = {
    ...authorization,
    'content-type': 'application/json',
    'user-agent': 'voice-assistant-chat',
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(webhookId, sentAt, payload))
      .join(' '),
  };
  try {
    return await fetch(address, { method: 'POST', headers, body: payload, maxRedirects: 0, ...options });
  } catch (error) {
    if (error instanceof OutgoingError) return { error: error.message };
    throw error;
  }
}
