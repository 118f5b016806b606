import { webhookEvents } from '../../contract/webhook.ts';
import type { JsonSchema } from './schemas.ts';

/** What the service sends by itself, as OpenAPI 3.1 describes it. */
export interface DocumentedWebhook {
  post: {
    tags: [string];
    summary: string;
    parameters: { name: string; in: 'header'; required: true; description: string; schema: JsonSchema }[];
    requestBody: { required: true; content: Record<string, { schema: JsonSchema }> };
    responses: Record<string, JsonSchema>;
  };
}

const bodies = {
  'call-ended': 'CallWebhook',
  'inbound-call-ended': 'CallWebhook',
  'conversation-ended': 'ConversationWebhook',
} as const;

const summaries = {
  'call-ended': "After a call, to an assistant's webhook_url while is_webhook_active.",
  'inbound-call-ended': "After an inbound call, to an assistant's inbound_webhook_url.",
  'conversation-ended': "After a chat, to an assistant's conversation_ended_webhook_url.",
} as const;

/** Headers of the Standard Webhooks convention. */
const headers = {
  'webhook-id': 'The same for every attempt of one delivery.',
  'webhook-timestamp': 'Seconds since 1970, of this attempt.',
  'webhook-signature': 'Signatures by the secrets that hold (v1, HMAC-SHA256), separated by spaces.',
} as const;

/** Describes every webhook. */
export const describeWebhooks = (): Record<string, DocumentedWebhook> =>
  Object.fromEntries(
    webhookEvents.map((event) => [
      event,
      {
        post: {
          tags: ['Webhooks'],
          summary: summaries[event],
          parameters: Object.entries(headers).map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/${bodies[event]}` } },
            },
          },
          responses: {
            '2XX': { description: 'It was taken. Any other answer, or none, has it sent again.' },
          },
        },
      } satisfies DocumentedWebhook,
    ]),
  );
