import * as z from 'zod/mini';
import { day, digitsOf, filledText, id, pageQuery, variablesField } from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, paginated, plainTimestamp } from './answer-fields.ts';

/* Records of calls (interface: "Call"). */

/** What can become of a call. */
export const callStatuses = [
  'initiated',
  'ringing',
  'busy',
  'in-progress',
  'ended',
  'completed',
  'ended_by_customer',
  'ended_by_assistant',
  'no-answer',
  'failed',
] as const;

export type CallStatus = (typeof callStatuses)[number];

/** Statuses of calls that are not over. */
export const openCallStatuses = [
  'initiated',
  'ringing',
  'in-progress',
] as const satisfies readonly CallStatus[];

/** Statuses of calls that were answered and are over. */
export const answeredCallStatuses = [
  'ended',
  'completed',
  'ended_by_customer',
  'ended_by_assistant',
] as const satisfies readonly CallStatus[];

const anyObject = z.record(z.string(), z.unknown());

/** A call. */
export const Call = z.looseObject({
  id: z.int(),
  assistant_name: z.string(),
  /** Absent from calls that no campaign made. */
  campaign_name: z.optional(z.string()),
  type: z.string(),
  /** Seconds. */
  duration: z.int(),
  assistant_phone_number: z.string(),
  client_phone_number: z.string(),
  status: z.string(),
  transcript: z.string(),
  variables: anyObject,
  evaluation: anyObject,
  webhook_response: anyObject,
  /** USD. */
  carrier_cost: z.number(),
  /** USD, with all fees. */
  total_cost: z.number(),
  answered_by: z.string(),
  /** Absent where nothing was recorded. */
  recording_url: z.optional(z.string()),
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
});
export type Call = z.infer<typeof Call>;

/** Query of `GET /user/calls`. */
export const CallsQuery = z.object({
  status: z.optional(z.enum(callStatuses)),
  type: z.optional(z.enum(['inbound', 'outbound', 'web'])),
  phone_number: z.optional(digitsOf()),
  assistant_id: z.optional(id()),
  campaign_id: z.optional(id()),
  date_from: z.optional(day()),
  date_to: z.optional(day()),
  ...pageQuery,
});
export type CallsQuery = z.infer<typeof CallsQuery>;

export const listCalls = ownerEndpoint({
  summary: 'The calls that meet every given condition, in pages, newest first.',
  method: 'GET',
  path: '/api/user/calls',
  query: CallsQuery,
  response: paginated(Call),
});

export const readCall = ownerEndpoint({
  summary: 'One call.',
  method: 'GET',
  path: '/api/user/calls/:id',
  response: Call,
});

export const deleteCall = ownerEndpoint({
  summary: 'Deletes the record of a call.',
  method: 'DELETE',
  path: '/api/user/calls/:id',
  response: Message,
});

/** Body of `POST /user/make_call`. What is no phone number is answered with 400, not with 422. */
export const MakeCallRequest = z.object({
  phone_number: filledText(recordLimits.name),
  assistant_id: id(),
  /** The call's own, over those of its assistant. */
  variables: z.nullish(variablesField()),
});
export type MakeCallRequest = z.infer<typeof MakeCallRequest>;

export const makeCall = ownerEndpoint({
  summary:
    'Has an outbound assistant call a number. The call is made in the background; its record can be followed.',
  method: 'POST',
  path: '/api/user/make_call',
  request: MakeCallRequest,
  headers: ['Idempotency-Key'],
  response: z.looseObject({
    message: z.string(),
    data: z.looseObject({}),
    call_id: z.int(),
    status: z.string(),
  }),
  refusals: [400, 404],
});
