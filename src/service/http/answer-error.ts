import type { Context, ErrorHandler } from 'hono';
import type { Logger } from 'pino';
import { ConversationError } from '../lib/conversation-error.ts';
import { Refusal } from '../lib/refusal.ts';
import { ownerError, takesKey } from './bearer-auth.ts';

/** Answers with a refusal, in the format that the endpoint's errors have. */
export function answerRefusal(c: Context, error: ConversationError): Response {
  const ownerBody = { ...error.toOwnerBody(), ...ownerError(c, error.message) };
  return c.json(takesKey(c) ? ownerBody : error.toBody(), error.status);
}

/** Answers with refusals as they are, and with 500 for everything else, which is logged. */
export function errorHandler(log: Logger): ErrorHandler {
  return (error, c) => {
    if (error instanceof ConversationError) return answerRefusal(c, error);
    if (error instanceof Refusal) return c.json(error.body, error.status);
    log.error({ err: error }, 'a request failed unexpectedly');
    const text = 'Something went wrong inside the service. Please try again.';
    return takesKey(c) ? c.json(ownerError(c, text), 500) : c.json({ status: false, error: text }, 500);
  };
}
