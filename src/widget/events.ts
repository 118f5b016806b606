/**
 * The events of `<voice-assistant-chat>`. All are dispatched on the element, bubble, and cross shadow roots
 * (`composed`), so a page may listen on the document.
 */
export interface ChatEventMap {
  /** The panel shows. */
  'chat-open': CustomEvent<undefined>;
  /** The panel no longer shows. */
  'chat-close': CustomEvent<undefined>;
  /** A conversation was opened or resumed. `conversationId` is the visitor's capability: keep it out of logs and addresses. */
  'chat-ready': CustomEvent<{ conversationId: string; resumed: boolean }>;
  /** The visitor is about to send `text`. `preventDefault()` stops it; the text then stays in the composer. */
  'chat-send': CustomEvent<{ text: string }>;
  /** The service accepted and answered the message. */
  'chat-sent': CustomEvent<{ text: string }>;
  /** An answer is complete. `latency` is in milliseconds from sending; absent when the answer was found after a reload. */
  'chat-message': CustomEvent<{ text: string; latency: number | undefined }>;
  /**
   * The visitor rated an answer, or took the rating back (`null`). `index` is the answer's place in the history that the
   * service has of the conversation, from 0; `at` is when it was written, milliseconds since 1970, where that is known.
   * `conversationId` is the visitor's capability.
   */
  'chat-rating': CustomEvent<{
    text: string;
    rating: 'up' | 'down' | null;
    conversationId: string;
    index: number;
    at: number | undefined;
  }>;
  /** A function of the page was run, denied by the visitor, or failed. */
  'chat-tool': CustomEvent<{ name: string; outcome: 'done' | 'denied' | 'failed' }>;
  /** Something failed and is shown inline. `code` is one of a closed set, `message` the service's own words. */
  'chat-error': CustomEvent<{ code: string; message: string }>;
}
