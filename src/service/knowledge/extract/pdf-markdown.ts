import { getDocumentProxy, extractText } from 'unpdf';
import { ExtractionError } from './extraction-error.ts';

/** More pages than this are not read. */
const maximumPages = 2000;

/** The text of a PDF, a paragraph where its lines look like one. @throws ExtractionError */
export async function pdfMarkdown(bytes: Uint8Array): Promise<string> {
  const pdf = await open(bytes);
  if (pdf.numPages > maximumPages) {
    throw new ExtractionError(`The PDF has ${pdf.numPages} pages, and at most ${maximumPages} are read.`);
  }
  const { text } = await extractText(pdf, { mergePages: false });
  const markdown = text.map(asParagraphs).join('\n\n').trim();
  if (markdown === '') {
    throw new ExtractionError(
      'The PDF has no text. If its pages are pictures, have them recognized as text first.',
    );
  }
  return markdown;
}

async function open(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    throw new ExtractionError(
      isLocked ? 'The PDF is protected by a password.' : 'The file is not a readable PDF.',
      {
        cause,
      },
    );
  }
}

/** A PDF knows lines. One that ends a sentence and is shorter than the others ends a paragraph. */
function asParagraphs(page: string): string {
  const lines = page.split('\n').map((line) => line.trim());
  const width = Math.max(...lines.map(({ length }) => length));
  return lines
    .map((line) => (/[.!?:。！？؟]$/u.test(line) && line.length < width * 0.8 ? `${line}\n` : line))
    .join('\n')
    .replace(/^#/gm, '\\#');
}
