import { ErrorBody, recognizedErrorTexts } from '../contract/error-body.ts';
import { ChatError, type ChatErrorCode } from './chat-error.ts';
import { retryAfterSeconds } from './retry-after.ts';

const codes = Object.keys(recognizedErrorTexts) as (keyof typeof recognizedErrorTexts)[];

/** Services word this differently. With other statuses, "ended" refers to something else. */
const hasEnded = (text: string, status: number): boolean =>
  /\bended\b/i.test(text) && [400, 409, 410].includes(status);

/** Fallback for errors without a known text, since statuses differ between deployments. */
function codeByStatus(status: number, path: string, text: string): ChatErrorCode {
  if (status === 404) {
    if (path.startsWith('/api/conversations/')) return 'conversation-not-found';
    // Without a reason, it is another server, which does not know the path.
    return text ? 'assistant-not-found' : 'bad-response';
  }
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
  const byText = codes.find((code) => lowerCase.startsWith(recognizedErrorTexts[code].toLowerCase()));
  return new ChatError(
    byText ??
      (hasEnded(text, response.status) ? 'conversation-ended' : codeByStatus(response.status, path, text)),
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
