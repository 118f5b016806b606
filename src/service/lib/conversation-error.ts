import { errorTexts } from '../../contract/error-body.ts';

/** Why a conversation endpoint refuses, with the status that the interface gives it. */
const statuses = {
  'assistant-not-found': 404,
  'conversation-not-found': 404,
  'conversation-ended': 400,
  'insufficient-balance': 400,
  'reply-failed': 400,
  'invalid-request': 422,
  'body-too-large': 413,
} as const;

export type ConversationErrorCode = keyof typeof statuses;

/** A refusal of a conversation endpoint. The message is the `error` text of the answer. */
export class ConversationError extends Error {
  override readonly name = 'ConversationError';
  readonly code: ConversationErrorCode;

  constructor(code: ConversationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get status(): (typeof statuses)[ConversationErrorCode] {
    return statuses[this.code];
  }

  /** The body that the interface gives the refusal. */
  toBody(): { status: false; error: string } {
    return { status: false, error: this.message };
  }

  /** The same for the endpoints that take a key; their bodies have `message` as the one field that can be wrong. */
  toOwnerBody(): { message: string; errors?: Record<string, string[]> } {
    if (this.code !== 'invalid-request') return { message: this.message };
    return { message: this.message, errors: { message: [this.message] } };
  }

  static assistantNotFound(): ConversationError {
    return new ConversationError('assistant-not-found', errorTexts.assistantNotFound);
  }

  static conversationNotFound(): ConversationError {
    return new ConversationError('conversation-not-found', errorTexts.conversationNotFound);
  }

  static conversationEnded(): ConversationError {
    return new ConversationError('conversation-ended', errorTexts.conversationEnded);
  }

  static insufficientBalance(): ConversationError {
    return new ConversationError('insufficient-balance', errorTexts.insufficientBalance);
  }

  /** @param reason what a visitor may know of the failure. */
  static replyFailed(reason: string, options?: ErrorOptions): ConversationError {
    return new ConversationError('reply-failed', errorTexts.engineFailed + reason, options);
  }
}
