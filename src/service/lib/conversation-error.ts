import { errorTexts } from '../../contract/error-texts.ts';

/** Error codes of conversation endpoints, with the status of each in the interface. */
export const statuses = {
  'assistant-not-found': 404,
  'conversation-not-found': 404,
  'conversation-ended': 400,
  'insufficient-balance': 400,
  'limit-reached': 400,
  'origin-not-allowed': 403,
  'proof-required': 428,
  'reply-failed': 400,
  'too-many-pending': 429,
  'user-token': 401,
  'invalid-request': 422,
  'body-too-large': 413,
} as const;

export type ConversationErrorCode = keyof typeof statuses;

/** A refusal of a conversation endpoint. The message is the `error` text of the answer. */
export class ConversationError extends Error {
  override readonly name = 'ConversationError';
  readonly code: ConversationErrorCode;
  /** The invalid field of the body. */
  readonly field: string;
  #details: { proof_of_work?: object } = {};

  constructor(
    code: ConversationErrorCode,
    message: string,
    { field = 'message', ...options }: ErrorOptions & { field?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.field = field;
  }

  get status(): (typeof statuses)[ConversationErrorCode] {
    return statuses[this.code];
  }

  /** The body in the format of the conversation endpoints. */
  toBody(): { status: false; error: string; proof_of_work?: object } {
    return { status: false, error: this.message, ...this.#details };
  }

  /** The body in the format of endpoints that require a key. */
  toOwnerBody(): { message: string; errors?: Record<string, string[]> } {
    if (this.code !== 'invalid-request') return { message: this.message };
    return { message: this.message, errors: { [this.field]: [this.message] } };
  }

  static assistantNotFound(): ConversationError {
    return new ConversationError('assistant-not-found', errorTexts['assistant-not-found']);
  }

  static conversationNotFound(): ConversationError {
    return new ConversationError('conversation-not-found', errorTexts['conversation-not-found']);
  }

  static conversationEnded(): ConversationError {
    return new ConversationError('conversation-ended', errorTexts['conversation-ended']);
  }

  static insufficientBalance(): ConversationError {
    return new ConversationError('insufficient-balance', errorTexts['insufficient-balance']);
  }

  /** @param advice for the owner; may be empty */
  static limitReached(advice: string): ConversationError {
    return new ConversationError('limit-reached', `${errorTexts['limit-reached']} ${advice}`.trimEnd());
  }

  /** @param challenge the challenge that the client must solve */
  static proofRequired(challenge: object): ConversationError {
    const error = new ConversationError('proof-required', errorTexts['proof-required']);
    error.#details = { proof_of_work: challenge };
    return error;
  }

  static originNotAllowed(origin: string | undefined): ConversationError {
    return new ConversationError(
      'origin-not-allowed',
      `${errorTexts['origin-not-allowed']} ${origin ?? 'a request without the header Origin'}`,
    );
  }

  static tooManyPending(): ConversationError {
    return new ConversationError(
      'too-many-pending',
      'Too many messages of this conversation are waiting for replies. Please send this one again after the next reply.',
    );
  }

  static userTokenRequired(): ConversationError {
    return new ConversationError('user-token', errorTexts['user-token-required']);
  }

  static userTokenExpired(): ConversationError {
    return new ConversationError('user-token', errorTexts['user-token-expired']);
  }

  static userTokenInvalid(reason: string, options?: ErrorOptions): ConversationError {
    return new ConversationError('user-token', `${errorTexts['user-token-invalid']} ${reason}`, options);
  }

  /** @param reason may be shown to the visitor. */
  static replyFailed(reason: string, options?: ErrorOptions): ConversationError {
    return new ConversationError('reply-failed', `${errorTexts['engine-failed']} ${reason}`, options);
  }
}
