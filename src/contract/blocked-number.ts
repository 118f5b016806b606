import * as z from 'zod/mini';
import { partialPhoneNumber, pageQuery, phoneNumber } from './request-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, paginated, timestamp } from './answer-fields.ts';

/* The do-not-call list: phone numbers whose owners asked not to be called. Our addition. */

/** An entry of the do-not-call list. */
export const BlockedNumber = z.looseObject({ id: z.int(), phone_number: z.string(), created_at: timestamp });
export type BlockedNumber = z.infer<typeof BlockedNumber>;

/** Query of `GET /user/blocked-numbers`. */
export const BlockedNumbersQuery = z.object({ phone_number: z.optional(partialPhoneNumber()), ...pageQuery });
export type BlockedNumbersQuery = z.infer<typeof BlockedNumbersQuery>;

export const listBlockedNumbers = ownerEndpoint({
  summary: 'Lists the blocked numbers, newest first, in pages. Our addition.',
  method: 'GET',
  path: '/api/user/blocked-numbers',
  scope: 'read',
  query: BlockedNumbersQuery,
  response: paginated(BlockedNumber),
});

export const blockNumber = ownerEndpoint({
  summary: 'Blocks calls to a number. Succeeds also if it is already blocked. Our addition.',
  method: 'POST',
  path: '/api/user/blocked-numbers',
  scope: 'write',
  changes: 'blocked-number',
  request: z.object({ phone_number: phoneNumber() }),
  response: messageWith(BlockedNumber),
  success: 201,
});

export const unblockNumber = ownerEndpoint({
  summary: 'Allows calls to a number again. Our addition.',
  method: 'DELETE',
  path: '/api/user/blocked-numbers/:id',
  scope: 'write',
  changes: 'blocked-number',
  response: Message,
});
