import * as z from 'zod/mini';
import {
  calendarDate,
  partialPhoneNumber,
  nonBlankText,
  id,
  pageQuery,
  variablesField,
} from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, paginated, plainTimestamp } from './answer-fields.ts';

/* Records of calls (interface: "Call"). */

/** Statuses of a call. */
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

/** Why a call ended. */
export type EndReason =
  | 'balance'
  | 'blocked'
  | 'busy'
  | 'calls-in-parallel'
  | 'calls-per-day'
  | 'carrier-account'
  | 'carrier-error'
  | 'connection-lost'
  | 'conversation-ended'
  | 'country-not-allowed'
  | 'cut-off'
  | 'end-call'
  | 'failed'
  | 'fax'
  | 'hung-up'
  | 'max-duration'
  | 'messages-per-day'
  | 'minutes-per-day'
  | 'no-answer'
  | 'no-assistant'
  | 'no-caller-id'
  | 'no-connection'
  | 'not-connected'
  | 'not-reported'
  | 'not-started'
  | 'service-stopped'
  | 'silence'
  | 'spending-limit'
  | 'transfer'
  | 'voicemail';

/** Statuses of calls that have not ended. */
export const openCallStatuses = [
  'initiated',
  'ringing',
  'in-progress',
] as const satisfies readonly CallStatus[];

/** Statuses of calls that were answered and have ended. */
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
  /** Absent if the call does not belong to a campaign. */
  campaign_name: z.optional(z.string()),
  /** Web calls: the UUID of their conversation. Absent in phone calls. Our addition. */
  conversation_id: z.optional(z.string()),
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
  /** USD, including all fees. */
  total_cost: z.number(),
  answered_by: z.string(),
  /** Why the call ended, in more detail than its status: an {@link EndReason}. Absent while it is open. Our addition. */
  end_reason: z.optional(z.string()),
  /** Absent if there is no recording. */
  recording_url: z.optional(z.string()),
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
});
export type Call = z.infer<typeof Call>;

/** Query of `GET /user/calls`. */
export const CallsQuery = z.object({
  status: z.optional(z.enum(callStatuses)),
  type: z.optional(z.enum(['inbound', 'outbound', 'web'])),
  phone_number: z.optional(partialPhoneNumber()),
  assistant_id: z.optional(id()),
  campaign_id: z.optional(id()),
  date_from: z.optional(calendarDate()),
  date_to: z.optional(calendarDate()),
  ...pageQuery,
});
export type CallsQuery = z.infer<typeof CallsQuery>;

export const listCalls = ownerEndpoint({
  summary: 'Lists the calls that match all given filters, newest first, in pages.',
  method: 'GET',
  path: '/api/user/calls',
  scope: 'read',
  query: CallsQuery,
  response: paginated(Call),
});

export const readCall = ownerEndpoint({
  summary: 'Returns a call.',
  method: 'GET',
  path: '/api/user/calls/:id',
  scope: 'read',
  response: Call,
});

export const deleteCall = ownerEndpoint({
  summary: 'Deletes the record of a call.',
  method: 'DELETE',
  path: '/api/user/calls/:id',
  scope: 'write',
  changes: 'call',
  response: Message,
});

/**
 * Body of `POST /user/make_call`. An invalid phone number is refused with 400 instead of 422, so it is checked later.
 */
export const MakeCallRequest = z.object({
  phone_number: nonBlankText(recordLimits.name),
  assistant_id: id(),
  /** Override the assistant's variables. */
  variables: z.nullish(variablesField()),
});
export type MakeCallRequest = z.infer<typeof MakeCallRequest>;

export const makeCall = ownerEndpoint({
  summary:
    'Calls a phone number with an outbound assistant. The call runs in the background; read its record for the progress.',
  method: 'POST',
  path: '/api/user/make_call',
  scope: 'calls',
  changes: 'call',
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
