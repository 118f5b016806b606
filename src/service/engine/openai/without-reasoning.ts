const start = '<think>';
const end = '</think>';

/**
 * Drops the reasoning before an answer, and the white space between them. Servers without a parser for reasoning send it
 * as text.
 */
export async function* withoutReasoning(chunks: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  /** The text so far, until the answer begins. */
  let text: string | undefined = '';
  let hasReasoned = false;
  for await (const chunk of chunks) {
    if (text === undefined) {
      yield chunk;
      continue;
    }
    text += chunk;
    let begin = text.trimStart();
    if (begin.startsWith(start)) {
      hasReasoned = true;
      // The last characters may be the first ones of the end.
      text = begin = begin.includes(end) ? removeReasoning(begin) : start + begin.slice(-end.length);
    }
    if (start.startsWith(begin) || begin.startsWith(start)) continue;
    yield hasReasoned ? begin : text;
    text = undefined;
  }
  if (text && !text.trimStart().startsWith(start)) yield text;
}

/** Drops the reasoning before a complete answer. */
const removeReasoning = (answer: string): string =>
  answer.replace(/^(?:\s*<think>[\s\S]*?<\/think>)+\s*/, '');

/** The content of a response: its text, or a list of parts from Mistral's reasoning models, of which some are reasoning. */
export type ResponseContent = string | readonly { type: string; text?: string }[] | null | undefined;

/** Returns the text of a response, or of a part of it. */
export const textOf = (content: ResponseContent): string =>
  typeof content === 'object' && content !== null
    ? content.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('')
    : (content ?? '');
