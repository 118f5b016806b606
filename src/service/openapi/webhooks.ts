import { webhookEvents } from '../../contract/webhook.ts';
import type { JsonSchema } from './schemas.ts';

interface WebhookAnswer {
  description: string;
  content?: Record<string, { schema: JsonSchema }>;
}

/** A webhook in an OpenAPI 3.1 document. */
export interface DocumentedWebhook {
  post: {
    tags: [string];
    summary: string;
    parameters: { name: string; in: 'header'; required: true; description: string; schema: JsonSchema }[];
    requestBody: { required: true; content: Record<string, { schema: JsonSchema }> };
    responses: Record<string, WebhookAnswer>;
  };
}

const bodies = {
  'call-ended': 'CallWebhook',
  'inbound-call-started': 'InboundCallWebhook',
  'inbound-call-ended': 'CallWebhook',
  'conversation-ended': 'ConversationWebhook',
  'handoff-requested': 'HandoffWebhook',
  'usage-limit': 'UsageWebhook',
  'webhook-disabled': 'WebhookDisabledWebhook',
} as const;

const summaries = {
  'call-ended': "After a call, to an assistant's webhook_url while is_webhook_active.",
  'inbound-call-started':
    "When an inbound call begins, to an assistant's inbound_webhook_url. The variables of the answer, {variables: {…}}, are the call's if it comes within two seconds. Sent once.",
  'inbound-call-ended': "After an inbound call, to an assistant's inbound_webhook_url.",
  'conversation-ended': "After a chat, to an assistant's conversation_ended_webhook_url.",
  'handoff-requested':
    "When a visitor asks for a person or writes after one has taken over, to an assistant's handoff_webhook_url.",
  'usage-limit': "When 80 % or all of a daily limit is used, to an assistant's usage_webhook_url.",
  'webhook-disabled': 'When an address is disabled, to the usage_webhook_url of the assistants that have it.',
} as const;

const accepted: WebhookAnswer = {
  description: 'Accepted. The delivery is retried after any other answer, or none.',
};

const variablesAnswer: WebhookAnswer = {
  description: 'Variables of the call. After any other answer, or none, the call continues without.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/InboundCallAnswer' } } },
};

/** Headers of the Standard Webhooks convention. */
const headers = {
  'webhook-id': 'The same for every attempt of one delivery.',
  'webhook-timestamp': 'Unix timestamp of this attempt, in seconds.',
  'webhook-signature': 'Signatures with every valid secret (v1, HMAC-SHA256), separated by spaces.',
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
          responses: { '2XX': event === 'inbound-call-started' ? variablesAnswer : accepted },
        },
      } satisfies DocumentedWebhook,
    ]),
  );
