import { ErrorBody, errorTexts } from '../contract/error-body.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';
import { secondsUntil } from './retry-after.ts';

const codesByText: readonly [text: string, code: ChatErrorCode][] = [
  [errorTexts.assistantNotFound, 'assistant-not-found'],
  [errorTexts.conversationNotFound, 'conversation-not-found'],
  ['Insufficient balance', 'insufficient-balance'],
  [errorTexts.engineFailed.trimEnd(), 'engine-failed'],
  [errorTexts.tooManyRequests, 'too-many-requests'],
];

/** Services say in words of their own that a conversation is over; beside these statuses nothing else ends. */
const isEnded = (text: string, status: number): boolean =>
  /\bended\b/i.test(text) && [400, 409, 410].includes(status);

/** Only for answers without a text that tells: statuses differ between deployments. */
function codeByStatus(status: number, notFound: ChatErrorCode): ChatErrorCode {
  if (status === 404) return notFound;
  if (status === 402) return 'insufficient-balance';
  if (status === 429) return 'too-many-requests';
  if (status === 413 || status === 422) return 'invalid-request';
  return status >= 500 ? 'unavailable' : 'refused';
}

/**
 * Reads an error out of a body, or returns undefined if the body is not one.
 *
 * @param notFound the code of a bare 404 at this endpoint
 */
export function serviceErrorFrom(
  body: unknown,
  response: Response,
  notFound: ChatErrorCode,
): ChatError | undefined {
  const parsed = ErrorBody.safeParse(body);
  const text = parsed.data?.error || parsed.data?.message || '';
  if (response.ok && (text === '' || parsed.data?.['status'] !== false)) return undefined;

  const lowerCase = text.toLowerCase();
  const byText = codesByText.find(([start]) => lowerCase.startsWith(start.toLowerCase()));
  return new ChatError(
    byText?.[1] ??
      (isEnded(text, response.status) ? 'conversation-ended' : codeByStatus(response.status, notFound)),
    text || `The service answered with status ${response.status}.`,
    {
      status: response.status,
      retryAfter:
        secondsUntil(response.headers.get('Retry-After')) ?? secondsUntil(parsed.data?.['retry_after']),
    },
  );
}
