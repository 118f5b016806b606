/** Longest passage that is spoken as a whole, in UTF-16 code units: about 25 seconds. */
const wholeLimit = 400;

/** Letters of a word that must match, so that "open" matches "opening": stems without a vocabulary. */
const stemLength = 4;

/**
 * Returns the paragraphs of a passage that share most words with the question: a caller cannot skip the rest, as a reader
 * does. Returns the whole passage if it is short, or if no paragraph shares a word.
 *
 * @param body Markdown
 */
export function spokenExcerpt(body: string, question: string): string {
  if (body.length <= wholeLimit) return body;
  const paragraphs = splitParagraphs(body);
  const stems = paragraphs.map(stemsOf);
  const scores = stems.map((own) =>
    [...stemsOf(question)]
      .filter((stem) => own.has(stem))
      // A word of every paragraph does not tell one from another.
      .reduce(
        (sum, stem) => sum + Math.log(1 + stems.length / stems.filter((each) => each.has(stem)).length),
        0,
      ),
  );
  const best = Math.max(0, ...scores);
  if (best === 0) return body;
  return paragraphs.filter((_, index) => (scores[index] ?? 0) >= tieShare * best).join('\n\n');
}

/** Share of the best score with which a paragraph is spoken, too. */
const tieShare = 0.9;

/** Splits Markdown at blank lines. A list or table stays with the text before it, and a heading with the text after it. */
const splitParagraphs = (body: string): string[] =>
  body.split(/(?<!(?:^|\n)[^\n\p{N}]{0,59}\p{L})\n{2,}(?!\s*(?:[-*+|]|\d+[.)]) )/u);

const stemsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length >= stemLength || /\d/.test(word))
      .map((word) => word.slice(0, stemLength)),
  );
