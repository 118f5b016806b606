/** A limit on scripts. `npm test -- size` measures them, and the documentation lists them. */
export interface Budget {
  /** The scripts and the time until which they are counted, for readers. */
  readonly scripts: string;
  /** All of them, after Brotli compression. */
  readonly bytes: number;
  /** All of them. */
  readonly requests?: number;
}

/** Waiting time matters most, so few requests are better than few bytes. A commit that raises a budget gives a reason. */
export const budgets = {
  // Hashes of files in it move the compressed size by up to 15 bytes. The README calls it 4.7 kB.
  shell: { scripts: 'script tag, until the launcher shows', bytes: 4_749, requests: 1 },
  // The hashes in these files move their sizes by up to 80 bytes, so the budgets leave as much.
  typing: { scripts: 'script tag, until a visitor can type, in English', bytes: 33_700, requests: 3 },
  markdownAnswer: {
    scripts: 'script tag, until the first answer is shown as Markdown',
    bytes: 68_150,
    requests: 5,
  },
  bundledPlainAnswer: {
    scripts: "a site's own bundle by Vite, with Lit, as far as a plain answer needs it",
    bytes: 50_600,
    requests: 3,
  },
  bundledMarkdownAnswer: {
    scripts: "a site's own bundle by Vite, with Lit, as far as an answer in Markdown needs it",
    bytes: 68_550,
    requests: 4,
  },
  nextPage: {
    scripts: 'a page by Next.js, with React and Next.js, until the first answer',
    bytes: 196_800,
  },
  nextChat: { scripts: "the chat's share of that page", bytes: 78_550 },
  locale: { scripts: 'a language other than English', bytes: 2_000, requests: 1 },
  call: { scripts: 'the first call, in English', bytes: 8_750 },
  client: {
    scripts: '`voice-assistant-chat/client`, before it streams an answer or solves a proof of work',
    bytes: 8_750,
  },
} as const satisfies Readonly<Record<string, Budget>>;
