import * as z from 'zod/mini';
import { calendarDate, id, pageQuery, variablesField } from './request-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { messageWith, paginated, timestamp } from './answer-fields.ts';
import { ConversationProblem } from './conversation.ts';

/* Webhooks (interface: "Events"): their bodies, and our additions: the delivery log and the signing secret. */

/** Types of webhook events. */
export const webhookEvents = [
  'call-ended',
  'inbound-call-started',
  'inbound-call-ended',
  'conversation-ended',
  'handoff-requested',
  'usage-limit',
  'webhook-disabled',
] as const;

/** Statuses of a delivery. */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

const anyObject = z.record(z.string(), z.unknown());

/** Body of a webhook after a call. Timestamps are ISO 8601 in the assistant's time zone. */
export const CallWebhook = z.looseObject({
  id: z.int(),
  /** Web calls: the UUID of their conversation. Absent in phone calls. Our addition. */
  conversation_id: z.optional(z.string()),
  customer_phone: z.string(),
  assistant_phone: z.string(),
  /** Seconds. */
  duration: z.int(),
  status: z.string(),
  /** Keys are the names of `post_call_schema`; unknown values are null. */
  extracted_variables: anyObject,
  input_variables: anyObject,
  transcript: z.string(),
  /** Absent unless the assistant's webhooks include it; null if there is no recording. */
  recording_url: z.optional(z.nullable(z.string())),
  created_at: z.string(),
  finished_at: z.string(),
  lead: z.nullable(
    z.looseObject({
      id: z.int(),
      phone_number: z.string(),
      variables: anyObject,
      status: z.string(),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
  campaign: z.nullable(
    z.looseObject({
      id: z.int(),
      name: z.string(),
      status: z.string(),
      /** `HH:MM`, in the campaign's time zone. */
      allowed_hours_start_time: z.string(),
      allowed_hours_end_time: z.string(),
      allowed_days: z.array(z.string()),
      max_calls_in_parallel: z.int(),
      max_retries: z.int(),
      /** Minutes. */
      retry_interval: z.int(),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
});
export type CallWebhook = z.infer<typeof CallWebhook>;

/** Body of a webhook at the start of an inbound call. Timestamps are ISO 8601 in the assistant's time zone. Ours. */
export const InboundCallWebhook = z.looseObject({
  id: z.int(),
  /** UUID. */
  assistant_id: z.string(),
  /** Empty if the number is withheld. */
  customer_phone: z.string(),
  assistant_phone: z.string(),
  status: z.literal('in-progress'),
  input_variables: anyObject,
  created_at: z.string(),
});
export type InboundCallWebhook = z.infer<typeof InboundCallWebhook>;

/** The answer to {@link InboundCallWebhook}. */
export const InboundCallAnswer = z.looseObject({
  /** They override the assistant's. */
  variables: z.nullish(variablesField()),
});

/** Body of a webhook after a chat. Timestamps are ISO 8601 in the assistant's time zone. */
export const ConversationWebhook = z.looseObject({
  id: z.int(),
  /** UUID. */
  conversation_id: z.string(),
  /** UUID. */
  assistant_id: z.string(),
  type: z.string(),
  message_count: z.int(),
  status: z.literal('ended'),
  extracted_variables: anyObject,
  input_variables: anyObject,
  transcript: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string(),
      timestamp: z.string(),
      /** Unix time in seconds. */
      timestamp_unix: z.int(),
    }),
  ),
  /** One line per message, `AI: …` or `Customer: …`; line breaks inside a message become spaces. */
  formatted_transcript: z.string(),
  attachments: z.array(z.unknown()),
  customer_phone: z.nullable(z.string()),
  customer_name: z.nullable(z.string()),
  sender: z.nullable(z.string()),
  /** Our addition: the latest ten, newest first, with times in UTC; absent if there are none. */
  problems: z.optional(z.array(ConversationProblem)),
  created_at: z.string(),
  ended_at: z.string(),
});
export type ConversationWebhook = z.infer<typeof ConversationWebhook>;

/** Why a person is needed: the visitor asked for one, or wrote after a person has taken over. */
export const handoffReasons = ['request', 'message'] as const;

/** Body of a webhook when a visitor needs a person. Timestamps are ISO 8601 in the assistant's time zone. Ours. */
export const HandoffWebhook = z.looseObject({
  /** UUID. */
  conversation_id: z.string(),
  /** UUID. */
  assistant_id: z.string(),
  type: z.string(),
  reason: z.enum(handoffReasons),
  /** The visitor's message. */
  message: z.string(),
  input_variables: anyObject,
  customer_name: z.nullable(z.string()),
  created_at: z.string(),
});
export type HandoffWebhook = z.infer<typeof HandoffWebhook>;

/** The daily limits with a webhook: fields of the assistant, its stored bytes, and the owner's spending limit. */
export const usageLimits = [
  'max_messages_per_day',
  'max_test_messages_per_day',
  'stored_bytes_per_day',
  'daily_spending_limit',
] as const;

/** Body of a webhook when 80 % of a daily limit are used, and when all of it is. Ours. */
export const UsageWebhook = z.looseObject({
  /** UUID. */
  assistant_id: z.string(),
  limit: z.enum(usageLimits),
  /** Messages, bytes for `stored_bytes_per_day`, or USD for `daily_spending_limit`. */
  max: z.number(),
  used: z.number(),
  /** The day in UTC, as `YYYY-MM-DD`. */
  day: z.string(),
});
export type UsageWebhook = z.infer<typeof UsageWebhook>;

/** Body of a webhook when an address is disabled, since all deliveries to it fail. Timestamps are in UTC. Ours. */
export const WebhookDisabledWebhook = z.looseObject({
  disabled_webhook_url: z.string(),
  /** UUIDs of the owner's assistants that have this address. */
  assistant_ids: z.array(z.string()),
  /** Deliveries that failed since `failing_since`. */
  failed_deliveries: z.int(),
  failing_since: timestamp,
  disabled_at: timestamp,
});
export type WebhookDisabledWebhook = z.infer<typeof WebhookDisabledWebhook>;

/** A webhook delivery in the log. */
export const WebhookDelivery = z.looseObject({
  id: z.int(),
  /** The header `webhook-id` of every attempt. */
  webhook_id: z.string(),
  event: z.string(),
  assistant_id: z.nullable(z.int()),
  call_id: z.nullable(z.int()),
  /** UUID. */
  conversation_id: z.nullable(z.string()),
  url: z.string(),
  status: z.string(),
  attempts: z.int(),
  /** Result of the last attempt: status and beginning of the response body, or an error. */
  response_status: z.nullable(z.int()),
  response_body: z.nullable(z.string()),
  error: z.nullable(z.string()),
  /** Null if no further attempt is scheduled. */
  next_attempt_at: z.nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** Query of `GET /user/webhook-deliveries`. */
export const WebhookDeliveriesQuery = z.object({
  status: z.optional(z.enum(deliveryStatuses)),
  event: z.optional(z.enum(webhookEvents)),
  assistant_id: z.optional(id()),
  date_from: z.optional(calendarDate()),
  date_to: z.optional(calendarDate()),
  ...pageQuery,
});
export type WebhookDeliveriesQuery = z.infer<typeof WebhookDeliveriesQuery>;

/** The secret that webhooks are signed with. */
export const WebhookSecret = z.looseObject({
  /** `whsec_` and base64 (Standard Webhooks). */
  secret: z.string(),
  created_at: timestamp,
  /** Until then, deliveries are also signed with the previous secret. */
  previous_expires_at: z.nullable(timestamp),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const listWebhookDeliveries = ownerEndpoint({
  summary: 'Lists the deliveries that match all given filters, newest first, in pages. Our addition.',
  method: 'GET',
  path: '/api/user/webhook-deliveries',
  scope: 'read',
  query: WebhookDeliveriesQuery,
  response: paginated(WebhookDelivery),
});

export const redeliverWebhook = ownerEndpoint({
  summary: 'Sends a delivered or failed webhook again, with the same id. Our addition.',
  method: 'POST',
  path: '/api/user/webhook-deliveries/:id/redeliver',
  scope: 'write',
  changes: 'webhook-delivery',
  response: messageWith(WebhookDelivery),
  refusals: [409],
});

export const readWebhookSecret = ownerEndpoint({
  summary: 'Returns the secret that webhooks are signed with. Our addition.',
  method: 'GET',
  path: '/api/user/webhook-secret',
  scope: 'write',
  response: WebhookSecret,
});

export const rotateWebhookSecret = ownerEndpoint({
  summary: 'Rotates the signing secret. The previous one stays valid for a day. Our addition.',
  method: 'POST',
  path: '/api/user/webhook-secret/rotate',
  scope: 'write',
  changes: 'webhook-secret',
  response: messageWith(WebhookSecret),
});
