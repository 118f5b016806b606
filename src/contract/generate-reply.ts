import * as z from 'zod/mini';
import { CalledFunction } from './conversation.ts';
import { filledText, id, variablesField } from './request-fields.ts';
import { limits, recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';

/* Replies for customers of other systems (supplement to the interface: `POST /user/ai/generate-reply`). */

/** Replies that one key may ask for in a minute. */
export const repliesAMinute = 5;

/** Body of `POST /user/ai/generate-reply`. */
export const GenerateReplyRequest = z.object({
  assistant_id: id(),
  /** What the other system calls the customer. The assistant has one conversation with each. */
  customer_identifier: filledText(recordLimits.name),
  message: filledText(limits.message.max),
  /** Laid over the conversation's. */
  variables: z.nullish(variablesField()),
});
export type GenerateReplyRequest = z.infer<typeof GenerateReplyRequest>;

/** Its answer. */
export const GeneratedReply = z.looseObject({
  success: z.literal(true),
  /** UUID. */
  conversation_id: z.string(),
  customer_identifier: z.string(),
  /** Empty while a person has taken over. */
  reply: z.string(),
  function_calls: z.array(CalledFunction),
  /** Whether a person has taken over, who answers what comes. */
  ai_disabled: z.boolean(),
});
export type GeneratedReply = z.infer<typeof GeneratedReply>;

/** What stands in `error_code` of a refusal: `{success: false, error, error_code}`. */
export const replyErrorCodes = ['ASSISTANT_NOT_FOUND', 'INSUFFICIENT_BALANCE', 'REPLY_FAILED'] as const;

export const generateReply = ownerEndpoint({
  summary:
    "Answers a customer's message in the conversation that the assistant has with this customer, which is opened if there is none.",
  method: 'POST',
  path: '/api/user/ai/generate-reply',
  aliases: ['/api/ai/generate-reply'],
  request: GenerateReplyRequest,
  headers: ['Idempotency-Key'],
  response: GeneratedReply,
  refusals: [400, 402, 404],
});
