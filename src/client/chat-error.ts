/** Machine-readable error codes. Every failure of the client has one of these. */
export type ChatErrorCode =
  // The service refused the request.
  | 'assistant-not-found'
  | 'conversation-not-found'
  | 'conversation-ended'
  | 'insufficient-balance'
  | 'limit-reached'
  | 'origin-not-allowed'
  | 'user-token-required'
  | 'user-token-expired'
  | 'user-token-invalid'
  | 'invalid-request'
  | 'too-many-requests'
  | 'engine-failed'
  | 'unavailable'
  | 'refused'
  // There was no usable response.
  | 'network'
  | 'timeout'
  | 'bad-response'
  | 'response-too-large'
  // The caller aborted, or one of its listeners threw an error.
  | 'aborted';

/**
 * The only error class that the client throws. `code` identifies the error, `message` describes it (in the service's
 * words, if it sent any), and `cause` is the underlying error.
 */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly code: ChatErrorCode;
  /** HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** Seconds to wait before a retry, if the service specified it. */
  readonly retryAfter: number | undefined;
  /** The challenge to solve first, if the service requires a proof of work. */
  readonly challenge: unknown;

  constructor(
    code: ChatErrorCode,
    message: string,
    details: {
      status?: number | undefined;
      retryAfter?: number | undefined;
      challenge?: unknown;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.challenge = details.challenge;
  }

  /**
   * Whether the service may have processed the request anyway, for example if the response was lost. Look for the
   * message in the history before sending it again.
   */
  get outcomeUnknown(): boolean {
    return codesWithUnknownOutcome.has(this.code);
  }
}

export const codesWithUnknownOutcome: ReadonlySet<ChatErrorCode> = new Set([
  'network',
  'timeout',
  'aborted',
  'unavailable',
  'bad-response',
  'response-too-large',
]);
