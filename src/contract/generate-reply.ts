import * as z from 'zod/mini';
import { CalledFunction } from './conversation.ts';
import { nonBlankText, id, variablesField } from './request-fields.ts';
import { limits, recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';

/* Replies to customers of external systems (`POST /user/ai/generate-reply`). */

/** Rate limit of this operation for each API key. */
export const repliesPerMinute = 5;

/** Body of `POST /user/ai/generate-reply`. */
export const GenerateReplyRequest = z.object({
  assistant_id: id(),
  /** The customer's identifier in the external system. Each customer has one conversation with the assistant. */
  customer_identifier: nonBlankText(recordLimits.name),
  message: nonBlankText(limits.message.max),
  /** Merged into the conversation's variables. */
  variables: z.nullish(variablesField()),
});
export type GenerateReplyRequest = z.infer<typeof GenerateReplyRequest>;

/** Response of `POST /user/ai/generate-reply`. */
export const GeneratedReply = z.looseObject({
  success: z.literal(true),
  /** UUID. */
  conversation_id: z.string(),
  customer_identifier: z.string(),
  /** Empty while a person has taken over. */
  reply: z.string(),
  function_calls: z.array(CalledFunction),
  /** Whether a person has taken over and answers instead. */
  ai_disabled: z.boolean(),
});
export type GeneratedReply = z.infer<typeof GeneratedReply>;

/** The statuses of errors by their `error_code`: `{success: false, error, error_code}`. */
export const replyErrorStatuses = {
  ASSISTANT_NOT_FOUND: 404,
  INSUFFICIENT_BALANCE: 402,
  REPLY_FAILED: 400,
} as const;
export type ReplyErrorCode = keyof typeof replyErrorStatuses;

export const generateReply = ownerEndpoint({
  summary:
    "Answers a customer's message in the assistant's conversation with this customer. Opens the conversation if there is none.",
  method: 'POST',
  path: '/api/user/ai/generate-reply',
  scope: 'inbox',
  // Messages are in the history of the conversation.
  changes: null,
  aliases: ['/api/ai/generate-reply'],
  request: GenerateReplyRequest,
  headers: ['Idempotency-Key'],
  response: GeneratedReply,
  refusals: [400, 402, 404],
});
