/** Splits a text into sentences while it arrives. Each keeps its spaces, so that together they are the text. */
export async function* sentences(text: AsyncIterable<string>, language: string): AsyncGenerator<string> {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  let rest = '';
  for await (const chunk of text) {
    rest += chunk;
    const found = Array.from(segmenter.segment(rest), ({ segment }) => segment);
    // The last one may go on.
    rest = found.pop() ?? '';
    yield* found;
  }
  if (rest !== '') yield rest;
}
