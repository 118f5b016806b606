import * as z from 'zod/mini';
import { prepareSchemas } from './prepare-schemas.ts';

prepareSchemas();

/**
 * The beginnings of error texts, by error code. Clients identify errors by them, since statuses differ between deployments.
 */
export const recognizedErrorTexts = {
  'assistant-not-found': 'Assistant not found',
  'conversation-not-found': 'Conversation not found',
  'insufficient-balance': 'Insufficient balance',
  /** Ours. May be followed by advice for the owner. */
  'limit-reached': 'Daily limit reached.',
  /** Ours. Followed by the origin. */
  'origin-not-allowed': 'Origin not allowed:',
  'user-token-required': 'A user token is required',
  'user-token-expired': 'The user token has expired',
  /** Followed by the reason. */
  'user-token-invalid': 'The user token is not valid:',
  /** Followed by the reason. */
  'engine-failed': 'Failed to process message:',
  'too-many-requests': 'Too Many Attempts.',
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
