import type { EvaluationRequest, Finding } from '../engine.ts';

type Lines = EvaluationRequest['transcript'];

/** What a name without a value of its own form is looked for by. */
const forms: readonly { name: RegExp; value: RegExp }[] = [
  { name: /e?mail/, value: /[\w.+-]+@[\w-]+(\.[\w-]+)+/u },
  { name: /phone|telefon|mobile/, value: /\+?\d[\d ()/-]{5,18}\d/ },
  { name: /website|url/, value: /https?:\/\/[^\s<>"]+/ },
];

/** A point or a comma before exactly three digits parts thousands; else it begins a fraction. */
const number = /-?\d{1,3}(?:[.,]\d{3})+(?!\d)|-?\d+(?:[.,]\d+)?/;
const quoted = /["“„«]([^"”“»]{1,200})["”“»]/;

/** Longest text that is taken as a value, in words. */
const wordLimit = 8;

/**
 * Finds a value in what a customer said: beside a word of its name, or in the answer to a question that has one. What
 * was said last counts, because people correct themselves.
 */
export function findValue(
  { name, type }: Finding,
  transcript: Lines,
  { yes, no }: { yes: RegExp; no: RegExp },
): string | number | boolean | null {
  for (let index = transcript.length - 1; index >= 0; index--) {
    const line = transcript[index];
    if (line?.role !== 'user') continue;
    const asked = transcript[index - 1];
    const answers = asked?.role === 'assistant' && asksFor(name, asked.content);
    for (const part of partsOf(line.content, name, answers)) {
      const found =
        type === 'number'
          ? findNumber(part)
          : type === 'bool'
            ? decide(part, yes, no)
            : findText(name, part, answers);
      if (found !== null) return found;
    }
  }
  return type === 'string' ? findForm(name, transcript) : null;
}

/** Matches a text that has a word of the name: `order_number` is named by "order" and by "number". */
function naming(name: string): RegExp {
  const words = name.split(/[_\d]+/).filter((word) => word.length > 2);
  return new RegExp(`(?<!\\p{L})(${(words.length > 0 ? words : [name]).join('|')})`, 'iu');
}

const asksFor = (name: string, content: string) => /[?؟]/.test(content) && naming(name).test(content);

/** The sentences that name it, from the name on; of an answer all of them. */
function partsOf(content: string, name: string, answers: boolean): string[] {
  if (answers) return [content];
  const sentences = content.split(/(?<=[!?;\n])|(?<=\.)\s/);
  return sentences.filter((sentence) => naming(name).test(sentence)).reverse();
}

function findNumber(text: string): number | null {
  const found = number.exec(text)?.[0];
  if (found === undefined) return null;
  return Number(/[.,]\d{3}$/.test(found) ? found.replace(/[.,]/g, '') : found.replace(',', '.'));
}

function decide(text: string, yes: RegExp, no: RegExp): boolean | null {
  const [agrees, refuses] = [text.match(yes) !== null, text.match(no) !== null];
  return agrees === refuses ? null : agrees;
}

function findText(name: string, text: string, answers: boolean): string | null {
  const form = forms.find((candidate) => candidate.name.test(name));
  if (form) return form.value.exec(text)?.[0] ?? null;
  const inQuotes = quoted.exec(text)?.[1];
  if (inQuotes !== undefined) return inQuotes.trim();
  const after = /(?:\bis\b|\bist\b|\blautet\b|هو|هي|:|=)\s*([^.!?;\n]+)/iu.exec(text)?.[1]?.trim();
  const found = after ?? (answers ? text.replace(/[.!?]+$/, '').trim() : undefined);
  return found !== undefined && found !== '' && found.split(/\s+/).length <= wordLimit ? found : null;
}

/** An address needs no name beside it. */
function findForm(name: string, transcript: Lines): string | null {
  const form = forms.find((candidate) => candidate.name.test(name));
  if (!form) return null;
  const lines = transcript.filter(({ role }) => role === 'user').map(({ content }) => content);
  return (
    lines
      .reverse()
      .map((line) => form.value.exec(line)?.[0])
      .find((found) => found !== undefined) ?? null
  );
}
