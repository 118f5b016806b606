/**
 * The events of `<voice-assistant-chat>`. All are dispatched on the element, bubble, and cross shadow roots
 * (`composed`), so a page can listen on the document.
 */
export interface ChatEventMap {
  /** The panel was shown. */
  'chat-open': CustomEvent<undefined>;
  /** The panel was hidden. */
  'chat-close': CustomEvent<undefined>;
  /**
   * A conversation was opened or resumed. `conversationId` is the visitor's capability: keep it out of logs and URLs.
   */
  'chat-ready': CustomEvent<{ conversationId: string; resumed: boolean }>;
  /** The visitor is about to send `text`. `preventDefault()` cancels sending; the text then stays in the composer. */
  'chat-send': CustomEvent<{ text: string }>;
  /** The service accepted and answered the message. Not dispatched for messages in a call. */
  'chat-sent': CustomEvent<{ text: string }>;
  /**
   * An answer is complete. `latency` is in milliseconds from sending; absent for answers that were spoken, written by a
   * person, or found after a reload.
   */
  'chat-message': CustomEvent<{ text: string; latency: number | undefined }>;
  /**
   * The visitor rated an answer, or removed the rating (`null`). `index` is the answer's position in the history: 0 is
   * the first entry that opening returned, and earlier ones are negative. `at` is when it was written, in milliseconds
   * since 1970, if known. `conversationId` is the visitor's capability.
   */
  'chat-rating': CustomEvent<{
    text: string;
    rating: 'up' | 'down' | null;
    conversationId: string;
    index: number;
    at: number | undefined;
  }>;
  /** A page tool has run or failed, or the visitor denied it. */
  'chat-tool': CustomEvent<{ name: string; outcome: 'done' | 'denied' | 'failed' }>;
  /**
   * Something failed and is shown inline. `code` is one of a fixed set, `message` is the error message of the service
   * or the client.
   */
  'chat-error': CustomEvent<{ code: string; message: string }>;
}
