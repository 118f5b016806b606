import { ErrorBody, recognizedErrorTexts } from '../contract/error-body.ts';
import { ChatError, type ChatErrorCode } from './chat-error.ts';
import { retryAfterSeconds } from './retry-after.ts';

const codesByText: readonly [text: string, code: ChatErrorCode][] = [
  [recognizedErrorTexts.assistantNotFound, 'assistant-not-found'],
  [recognizedErrorTexts.conversationNotFound, 'conversation-not-found'],
  ['Insufficient balance', 'insufficient-balance'],
  [recognizedErrorTexts.limitReached, 'limit-reached'],
  [recognizedErrorTexts.originNotAllowed.trimEnd(), 'origin-not-allowed'],
  [recognizedErrorTexts.userTokenRequired, 'user-token-required'],
  [recognizedErrorTexts.userTokenExpired, 'user-token-expired'],
  [recognizedErrorTexts.userTokenInvalid.trimEnd(), 'user-token-invalid'],
  [recognizedErrorTexts.engineFailed.trimEnd(), 'engine-failed'],
  [recognizedErrorTexts.tooManyRequests, 'too-many-requests'],
];

/** Services word this differently. With other statuses, "ended" refers to something else. */
const hasEnded = (text: string, status: number): boolean =>
  /\bended\b/i.test(text) && [400, 409, 410].includes(status);

/** Fallback for errors without a known text, since statuses differ between deployments. */
function codeByStatus(status: number, path: string): ChatErrorCode {
  if (status === 404)
    return path.startsWith('/api/conversations/') ? 'conversation-not-found' : 'assistant-not-found';
  if (status === 402) return 'insufficient-balance';
  if (status === 429) return 'too-many-requests';
  if (status === 413 || status === 422) return 'invalid-request';
  return status >= 500 ? 'unavailable' : 'refused';
}

/**
 * Converts an error body to an error, or returns undefined if the body is not an error.
 *
 * @param path of the operation
 */
export function serviceErrorFrom(body: unknown, response: Response, path: string): ChatError | undefined {
  const parsed = ErrorBody.safeParse(body);
  const text = parsed.data?.error || parsed.data?.message || '';
  if (response.ok && (text === '' || parsed.data?.['status'] !== false)) return undefined;

  const lowerCase = text.toLowerCase();
  const byText = codesByText.find(([start]) => lowerCase.startsWith(start.toLowerCase()));
  return new ChatError(
    byText?.[1] ??
      (hasEnded(text, response.status) ? 'conversation-ended' : codeByStatus(response.status, path)),
    text || `The service responded with status ${response.status}.`,
    {
      status: response.status,
      challenge: parsed.data?.['proof_of_work'],
      retryAfter:
        retryAfterSeconds(response.headers.get('Retry-After')) ??
        retryAfterSeconds(parsed.data?.['retry_after']),
    },
  );
}
