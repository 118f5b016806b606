/** One turn of a transcript. */
export interface Turn {
  role: 'assistant' | 'user';
  content: string;
}

const speakers = { assistant: 'AI', user: 'Customer' } as const;

/** Characters that Unicode or terminals treat as line breaks. */
const lineBreaks = /[\n\v\f\r\u0085\u2028\u2029]+/;

/**
 * Formats a transcript as `AI: …` and `Customer: …` lines. Each turn is exactly one line, so that a line break in a
 * message cannot start a line in another speaker's name. Turns without words are left out.
 */
export const formatTranscript = (turns: readonly Turn[]): string =>
  turns
    .filter(({ content }) => content.trim() !== '')
    .map(({ role, content }) => `${speakers[role]}: ${joinLines(content)}`)
    .join('\n');

const joinLines = (text: string) =>
  text
    .split(lineBreaks)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
