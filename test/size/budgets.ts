/**
 * Limits on the scripts that a page loads: bytes after Brotli compression, and requests. Every visit loads the shell; the
 * panel loads when the page is idle, on a fast connection, or when a visitor is about to open the chat. Waiting time matters most, so few requests are better than few bytes.
 */
export const budgets = {
  /** Until the launcher shows. */
  shell: { bytes: 4_600, requests: 1 },
  /** Until a visitor can type, in English; requests after the shell. */
  typing: { bytes: 32_400, requests: 2 },
  /** Until the first answer is rendered as Markdown. */
  markdownAnswer: { bytes: 64_500, requests: 4 },
  /** The chat in a site's bundle by Vite, with Lit: for a plain answer, and until an answer in Markdown shows. */
  bundle: {
    plainAnswer: { bytes: 48_500, requests: 3 },
    markdownAnswer: { bytes: 77_000, requests: 5 },
  },
  /** `voice-assistant-chat/client`, until it streams an answer or solves a proof of work. */
  client: 9_000,
  /** One language besides English. */
  locale: 2_000,
  /** All scripts that the first call loads, in English. The button is part of the chat. */
  call: 6_000,
} as const;
