import { Done } from './conversation.ts';

/*
 * What ends a reply or a conversation, as data like the other endpoints. Apart from those, because a page needs neither
 * until a visitor asks for it.
 */

/** Stops the reply under way; what it has said so far is the answer. Well also without a reply. Our addition. */
export const stopReply = {
  method: 'POST',
  path: '/api/conversations/:uuid/stop',
  auth: 'none',
  response: Done,
  statuses: [200, 404, 429],
} as const;

/** Forgets a conversation, with its messages and variables. Our addition. */
export const deleteConversation = {
  method: 'DELETE',
  path: '/api/conversations/:uuid',
  auth: 'none',
  response: Done,
  statuses: [200, 404, 429],
} as const;
