import * as z from 'zod/mini';
import { pageQuery, patternText, text } from './fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { cursorPaginated } from './pagination.ts';
import { timestamp } from './record-answers.ts';

/** A conversation as its owner sees it in the list. */
export const ListedConversation = z.looseObject({
  /** UUID. */
  id: z.string(),
  /** UUID. */
  assistant_id: z.string(),
  assistant_name: z.string(),
  type: z.string(),
  variables: z.record(z.string(), z.unknown()),
  message_count: z.int(),
  /** USD. */
  total_cost: z.number(),
  ai_enabled: z.boolean(),
  /** Our addition: what was made of it when it was over, and found out; absent where it was not evaluated. */
  evaluation: z.nullish(z.record(z.string(), z.unknown())),
  extracted_variables: z.nullish(z.record(z.string(), z.unknown())),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ListedConversation = z.infer<typeof ListedConversation>;

/** Query of `GET /user/conversations`. */
export const ConversationsQuery = z.object({
  type: z.optional(text(recordLimits.name)),
  /** The records of assistants have an id and a UUID, and conversations show the latter. */
  assistant_id: z.optional(
    patternText(/^(\d{1,10}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i, 'must be an id or a UUID.'),
  ),
  per_page: pageQuery.per_page,
  cursor: z.optional(text(recordLimits.name)),
});
export type ConversationsQuery = z.infer<typeof ConversationsQuery>;

export const listConversations = ownerEndpoint({
  summary: "The conversations with the owner's assistants, newest first, read on from a cursor.",
  method: 'GET',
  path: '/api/user/conversations',
  query: ConversationsQuery,
  response: cursorPaginated(ListedConversation),
});
