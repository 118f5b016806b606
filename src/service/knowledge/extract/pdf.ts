import { join } from 'node:path';
import { extractText, getDocumentProxy } from 'unpdf';
import { ExtractionError } from './extraction-error.ts';

const maximumPages = 2000;

/**
 * The predefined encodings of Chinese, Japanese and Korean, from pdfjs-dist: unpdf does not include them. pdf.js requires
 * the slash at the end, on Windows, too.
 */
const cMapUrl = `${join(import.meta.dirname, 'cmaps')}/`;

/**
 * Extracts the text of a PDF, with guessed paragraphs.
 *
 * @throws ExtractionError
 */
export async function pdfToMarkdown(bytes: Uint8Array): Promise<string> {
  const pdf = await open(bytes);
  if (pdf.numPages > maximumPages) {
    throw new ExtractionError(
      `The PDF has ${pdf.numPages} pages, but at most ${maximumPages} are supported.`,
    );
  }
  const { text } = await extractText(pdf, { mergePages: false });
  const markdown = text.map(separateParagraphs).join('\n\n').trim();
  if (markdown === '') {
    throw new ExtractionError(
      'The PDF has no text. If its pages are images, run text recognition (OCR) on it first.',
    );
  }
  return markdown;
}

async function open(bytes: Uint8Array) {
  try {
    // pdf.js refuses a Buffer, which is what a child process receives.
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return await getDocumentProxy(plain, { verbosity: 0, cMapUrl, cMapPacked: true });
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    throw new ExtractionError(
      isLocked ? 'The PDF is protected by a password.' : 'The file is not a readable PDF.',
      { cause },
    );
  }
}

/** The hyphen of a word that is broken at the end of a line, but not the one of "delivery- and return costs". */
const lineEndHyphen = /(?<=\p{Ll})[-\u2010]\n(?=\p{Ll})(?!(?:and|oder|or|und)\b)/gu;

/** Where a line would start or underline a heading. */
const headingMark = /^(?=#|-+$|=+$)/gm;

/** A PDF only has lines. A short line that ends a sentence ends a paragraph. */
function separateParagraphs(page: string): string {
  const lines = page.split('\n').map((line) => line.trim());
  const width = lines.reduce((widest, { length }) => Math.max(widest, length), 0);
  return lines
    .map((line) => (/[.!?:。！？؟]$/u.test(line) && line.length < width * 0.8 ? `${line}\n` : line))
    .join('\n')
    .replace(lineEndHyphen, '')
    .replace(headingMark, '\\');
}
