/**
 * What a page may load: bytes of brotli-compressed script, and the requests for it. A page pays for the shell on every
 * visit; the rest loads when a visitor opens the chat. The visitor's waiting time comes first, so few files beat few
 * bytes.
 */
export const budgets = {
  /** Before anyone touches the launcher. */
  shell: { bytes: 4_500, requests: 1 },
  /** Until a visitor can type, in English; the requests are those after the shell. */
  typing: { bytes: 32_000, requests: 2 },
  /** Until the first answer shows, drawn as Markdown. */
  markdownAnswer: { bytes: 64_000, requests: 4 },
  /** One language besides English. */
  locale: 2_000,
} as const;
