import * as z from 'zod/mini';
import { prepareSchemas } from './prepare-schemas.ts';

prepareSchemas();

/** The error texts by which clients identify errors, since statuses differ between deployments. */
export const recognizedErrorTexts = {
  assistantNotFound: 'Assistant not found',
  conversationNotFound: 'Conversation not found',
  /** Ours. May be followed by advice for the owner. */
  limitReached: 'Daily limit reached.',
  /** Ours. Followed by the origin. */
  originNotAllowed: 'Origin not allowed: ',
  /** Followed by the reason. */
  engineFailed: 'Failed to process message: ',
  userTokenRequired: 'A user token is required',
  userTokenExpired: 'The user token has expired',
  /** Followed by the reason. */
  userTokenInvalid: 'The user token is not valid: ',
  tooManyRequests: 'Too Many Attempts.',
} as const;

/**
 * Any error body of the interface, read liberally: `{status: false, error}` of the conversation endpoints,
 * `{message, errors?}` and `{error}` of the others, `{message, retry_after}` of the rate limit (seconds). Absent texts are
 * empty; unknown fields are kept.
 */
export const ErrorBody = z.looseObject({
  error: z.catch(z.string(), ''),
  message: z.catch(z.string(), ''),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
