import type { Context } from 'hono';
import type { ConversationError } from '../lib/conversation-error.ts';

/** Whether an endpoint takes a key; those have another form of errors. */
export const takesKey = (c: Context): boolean => /^\/api\/(user|automate)(\/|$)/.test(c.req.path);

/** Answers with a refusal, in the form that the endpoint's errors have. */
export function refuse(c: Context, error: ConversationError): Response {
  return c.json(takesKey(c) ? error.toOwnerBody() : error.toBody(), error.status);
}
