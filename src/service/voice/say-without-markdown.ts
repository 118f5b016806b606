import type { Spoken } from './line.ts';
import { isSpeakable } from './words.ts';
import { PlainSpeech } from './plain-speech.ts';
import { endsSentence, sentences, withPauses } from './split-sentences.ts';

/** A part of a text in Markdown, and its spoken form. */
interface Part {
  written: string;
  spoken: string;
}

/**
 * Speaks the words of a Markdown text on a line that takes plain text.
 *
 * @param say speaks the plain text.
 * @returns the result, with the heard part of the original Markdown.
 */
export async function sayWithoutMarkdown(
  text: AsyncIterable<string>,
  language: string,
  say: (plain: AsyncIterable<string>) => Promise<Spoken>,
): Promise<Spoken> {
  const passed: Part[] = [];
  const result = await say(toPlain(text, language, passed));
  return { ...result, played: asWritten(passed, result) };
}

/** Words before the first Markdown are passed on as they arrive; the rest is passed on sentence by sentence. */
async function* toPlain(text: AsyncIterable<string>, language: string, passed: Part[]) {
  let rest = '';
  const chunks = withPauses(text, () => endsSentence(rest));
  try {
    let hasMarkdown = false;
    while (!hasMarkdown) {
      const result = await chunks.next();
      const chunk = result.done === true ? '' : result.value;
      rest += chunk;
      const plain = plainStart(rest, {
        isStart: isLineStart(passed),
        isWhole: chunk === '',
      });
      ({ hasMarkdown } = plain);
      if (plain.text !== '') {
        rest = rest.slice(plain.text.length);
        passed.push({ written: plain.text, spoken: plain.text });
        yield plain.text;
      }
      if (result.done === true && !hasMarkdown) return;
    }
    for await (const part of spokenSentences(prepend(rest, chunks), language)) {
      passed.push(part);
      if (part.spoken !== '') yield part.spoken;
    }
  } finally {
    await chunks.return(undefined);
  }
}

/** Words that mean the same in Markdown and without. */
const plainWord = /^(?!.*(?:\/\/|www\.))[\p{L}\p{N}\p{M}.,;:!?'"’“”„«»()%€$£°§/…¿¡–—@+-]+$/u;
/** At the start of a line, these start a list or underline a heading. */
const lineMark = /^(?:[-+]+|\d+[.)])$/;

/**
 * Returns the start of a text, up to its first Markdown or its first incomplete word.
 *
 * @param isStart whether it begins a line.
 * @param isWhole whether its last word is complete.
 */
function plainStart(text: string, { isStart, isWhole }: { isStart: boolean; isWhole: boolean }) {
  let end = 0;
  for (const [match, before = '', word = '', after = ''] of text.matchAll(/(^\s*)?(\S+)(\s*)/g)) {
    if (after === '' && !isWhole) break;
    const beginsLine = end === 0 ? isStart || before.includes('\n') : text.slice(0, end).endsWith('\n');
    if (!plainWord.test(word) || (beginsLine && lineMark.test(word)))
      return { text: text.slice(0, end), hasMarkdown: true };
    end += match.length;
  }
  return { text: isWhole ? text : text.slice(0, end), hasMarkdown: false };
}

async function* prepend(first: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* chunks;
}

async function* spokenSentences(text: AsyncIterable<string>, language: string): AsyncGenerator<Part> {
  const plain = new PlainSpeech();
  for await (const written of sentences(text, language)) {
    const words = plain.convert(written);
    const [before, after] = [/^\s/, /\s$/].map((space) => (space.test(written) ? ' ' : ''));
    yield { written, spoken: isSpeakable(words) ? `${before ?? ''}${words}${after ?? ''}` : '' };
  }
}

function asWritten(passed: readonly Part[], { played, cutOffBy }: Spoken): string {
  if (cutOffBy === undefined) return passed.map(({ written }) => written).join('');
  let rest = played;
  let result = '';
  for (const { written, spoken } of passed) {
    if (rest.trim() === '') break;
    const isWhole = spoken === '' || rest.startsWith(spoken.trimEnd());
    if (!isWhole) return result + (written === spoken ? written.slice(0, rest.length) : rest);
    result += written;
    rest = rest.slice(spoken.length);
  }
  return played.trimEnd() === played ? result.trimEnd() : result;
}

const isLineStart = (passed: readonly Part[]) => passed.at(-1)?.written.endsWith('\n') ?? true;
