/**
 * What a page may load, in bytes of brotli-compressed script. A page pays for the shell on every visit; the rest is
 * loaded when a visitor opens the chat.
 */
export const budgets = {
  /** Before anyone touches the launcher. */
  shell: 3_500,
  /** From nothing to a chat that one can type in, the shell included, in English. */
  usableChat: 26_000,
  /** The same and what sends, streams, says and dates a first answer that has no Markdown. */
  firstAnswer: 39_000,
  /** What is loaded in idle time after that, to be there should the connection fail. */
  reserve: 7_000,
  /** What draws Markdown, without the texts that it shares with other parts. */
  markdown: 14_000,
  /** One language besides English. */
  locale: 1_600,
} as const;
