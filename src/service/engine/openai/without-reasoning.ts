const start = '<think>';
const end = '</think>';

/**
 * Drops the reasoning before an answer, which servers without a parser for it send as text. The white space before an
 * answer is dropped, too.
 */
export async function* withoutReasoning(chunks: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  /** The text so far, until the answer begins. */
  let text: string | undefined = '';
  for await (const chunk of chunks) {
    if (text === undefined) {
      yield chunk;
      continue;
    }
    text = (text + chunk).trimStart();
    if (text.startsWith(start)) {
      const position = text.indexOf(end);
      // The last characters may be the first ones of the end.
      text = position < 0 ? start + text.slice(-end.length) : removeReasoning(text);
    }
    if (start.startsWith(text) || text.startsWith(start)) continue;
    yield text;
    text = undefined;
  }
  if (text && !text.startsWith(start)) yield text;
}

/** Drops the reasoning before a complete answer. */
export const removeReasoning = (answer: string): string =>
  answer.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '');
