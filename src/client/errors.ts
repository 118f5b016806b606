/** What went wrong, apart from any human text. The set is closed: every failure of the client is one of these. */
export type ChatErrorCode =
  // The service refused, in its own words.
  | 'assistant-not-found'
  | 'conversation-not-found'
  | 'conversation-ended'
  | 'insufficient-balance'
  | 'invalid-request'
  | 'too-many-requests'
  | 'engine-failed'
  | 'unavailable'
  | 'refused'
  // No usable answer came.
  | 'network'
  | 'timeout'
  | 'bad-response'
  | 'response-too-large'
  // The caller gave up.
  | 'aborted';

/**
 * The one class of errors that the client throws. `code` says what happened, `message` says it in words (the
 * service's own where it gave any), `cause` keeps what lay underneath.
 */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly code: ChatErrorCode;
  /** HTTP status, where an answer came. */
  readonly status: number | undefined;
  /** Seconds after which another try makes sense, where the service said so. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ChatErrorCode,
    message: string,
    details: { status?: number | undefined; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
  }

  /**
   * Whether the service may have accepted the request all the same, as when the answer was lost on the way. Such a
   * message is looked up in the history before it is sent again.
   */
  get fateUnknown(): boolean {
    return fatesUnknown.has(this.code);
  }
}

const fatesUnknown: ReadonlySet<ChatErrorCode> = new Set([
  'network',
  'timeout',
  'aborted',
  'unavailable',
  'bad-response',
  'response-too-large',
]);
