import type { EvaluationRequest, EvaluationField } from '../engine.ts';

type Transcript = EvaluationRequest['transcript'];

/** Formats of values that are recognized by their names. */
const formats: readonly { name: RegExp; value: RegExp }[] = [
  { name: /e?mail/, value: /[\w.+-]+@[\w-]+(\.[\w-]+)+/u },
  { name: /phone|telefon|mobile/, value: /\+?\d[\d ()/-]{5,18}\d/ },
  { name: /website|url/, value: /https?:\/\/[^\s<>"]+/ },
];

/** A point or comma before exactly three digits separates thousands; otherwise it is the decimal separator. */
const number = /(-?\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?(?!\d)|-?\d+(?:[.,]\d+)?/;
const quoted = /["“„«]([^"”“»]{1,200})["”“»]/;

/** Longest value, in words. */
const wordLimit = 8;

/**
 * Extracts a value from the customer's messages: beside a word of its name, or from the answer to a question about it.
 * The latest message counts, because people correct themselves.
 */
export function extractValue(
  { name, type }: EvaluationField,
  transcript: Transcript,
  { yes, no }: { yes: RegExp; no: RegExp },
): string | number | boolean | null {
  for (let index = transcript.length - 1; index >= 0; index--) {
    const entry = transcript[index];
    if (entry?.role !== 'user') continue;
    const asked = transcript[index - 1];
    const isAnswer = asked?.role === 'assistant' && asksAbout(name, asked.content);
    for (const part of relevantParts(entry.content, name, isAnswer)) {
      const found =
        type === 'number'
          ? extractNumber(part)
          : type === 'bool'
            ? extractBoolean(part, yes, no)
            : extractText(name, part, isAnswer);
      if (found !== null) return found;
    }
  }
  return type === 'string' ? findByFormat(name, transcript) : null;
}

/** Matches any word of the name: both "order" and "number" match `order_number`. */
function namePattern(name: string): RegExp {
  const words = name.split(/[_\d]+/).filter((word) => word.length > 2);
  return new RegExp(`(?<!\\p{L})(${(words.length > 0 ? words : [name]).join('|')})`, 'iu');
}

const asksAbout = (name: string, content: string) => /[?؟]/.test(content) && namePattern(name).test(content);

/** The sentences that contain the name, last first; the whole text if it is an answer. */
function relevantParts(content: string, name: string, answers: boolean): string[] {
  if (answers) return [content];
  const sentences = content.split(/(?<=[!?;\n])|(?<=\.)\s/);
  return sentences.filter((sentence) => namePattern(name).test(sentence)).reverse();
}

function extractNumber(text: string): number | null {
  const [found, whole, decimals = '0'] = number.exec(text) ?? [];
  if (found === undefined) return null;
  return Number(whole === undefined ? found.replace(',', '.') : `${whole.replace(/[.,]/g, '')}.${decimals}`);
}

function extractBoolean(text: string, yes: RegExp, no: RegExp): boolean | null {
  const [agrees, refuses] = [text.match(yes) !== null, text.match(no) !== null];
  return agrees === refuses ? null : agrees;
}

function extractText(name: string, text: string, isAnswer: boolean): string | null {
  const format = formats.find((candidate) => candidate.name.test(name));
  if (format) return format.value.exec(text)?.[0] ?? null;
  const inQuotes = quoted.exec(text)?.[1];
  if (inQuotes !== undefined) return inQuotes.trim();
  const after = /(?:\bis\b|\bist\b|\blautet\b|هو|هي|:|=)\s*([^.!?;\n]+)/iu.exec(text)?.[1]?.trim();
  const found = after ?? (isAnswer ? text.replace(/[.!?]+$/, '').trim() : undefined);
  return found !== undefined && found !== '' && found.split(/\s+/).length <= wordLimit ? found : null;
}

/** Values with a format of their own need no name beside them. */
function findByFormat(name: string, transcript: Transcript): string | null {
  const format = formats.find((candidate) => candidate.name.test(name));
  if (!format) return null;
  const texts = transcript.filter(({ role }) => role === 'user').map(({ content }) => content);
  return (
    texts
      .reverse()
      .map((entry) => format.value.exec(entry)?.[0])
      .find((found) => found !== undefined) ?? null
  );
}
