import * as z from 'zod/mini';
import { digitsOf, pageQuery, phoneNumber } from './request-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, paginated, timestamp } from './answer-fields.ts';

/* Numbers that are not called any more, because whoever has them asked for that. Our addition. */

/** Such a number. */
export const BlockedNumber = z.looseObject({ id: z.int(), phone_number: z.string(), created_at: timestamp });
export type BlockedNumber = z.infer<typeof BlockedNumber>;

/** Query of `GET /user/blocked-numbers`. */
export const BlockedNumbersQuery = z.object({ phone_number: z.optional(digitsOf()), ...pageQuery });
export type BlockedNumbersQuery = z.infer<typeof BlockedNumbersQuery>;

export const listBlockedNumbers = ownerEndpoint({
  summary: 'The numbers that are not called any more, in pages, newest first. Our addition.',
  method: 'GET',
  path: '/api/user/blocked-numbers',
  query: BlockedNumbersQuery,
  response: paginated(BlockedNumber),
});

export const blockNumber = ownerEndpoint({
  summary: 'Has a number called no more; one that is blocked already stays so. Our addition.',
  method: 'POST',
  path: '/api/user/blocked-numbers',
  request: z.object({ phone_number: phoneNumber() }),
  response: messageWith(BlockedNumber),
  success: 201,
});

export const unblockNumber = ownerEndpoint({
  summary: 'Lets a number be called again. Our addition.',
  method: 'DELETE',
  path: '/api/user/blocked-numbers/:id',
  response: Message,
});
