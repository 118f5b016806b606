import type { Context, ErrorHandler } from 'hono';
import type { Logger } from 'pino';
import { ConversationError } from '../lib/conversation-error.ts';
import { Refusal } from '../lib/refusal.ts';
import { ownerError, requiresKey } from './bearer-auth.ts';

/** Seconds until another message may be accepted, since a reply may take that long. */
const retryAfterSeconds = 5;

/** Answers with an error in the format of the endpoint. */
export function answerRefusal(c: Context, error: ConversationError): Response {
  if (error.status === 429) {
    c.header('Retry-After', String(retryAfterSeconds));
    return c.json({ message: error.message, retry_after: retryAfterSeconds }, 429);
  }
  const ownerBody = { ...error.toOwnerBody(), ...ownerError(c, error.message) };
  return c.json(requiresKey(c) ? ownerBody : error.toBody(), error.status);
}

/** Answers with refusals; any other error is logged and answered with 500. */
export function errorHandler(log: Logger): ErrorHandler {
  return (error, c) => {
    if (error instanceof ConversationError) return answerRefusal(c, error);
    if (error instanceof Refusal) return c.json(error.body, error.status);
    log.error({ err: error }, 'a request failed unexpectedly');
    const text = 'Something went wrong inside the service. Please try again.';
    return requiresKey(c) ? c.json(ownerError(c, text), 500) : c.json({ status: false, error: text }, 500);
  };
}
