import { fitText } from '../../lib/storable.ts';
import { docxMarkdown } from './docx-markdown.ts';
import { ExtractionError } from './extraction-error.ts';
import { pageMarkdown } from './page-markdown.ts';
import { pdfMarkdown } from './pdf-markdown.ts';

/** What text is wanted of. */
export type ExtractionTask =
  | { type: 'pdf' | 'docx'; bytes: Uint8Array }
  /** A page of a website, which came from `url`. */
  | { type: 'page'; html: string; url: string };

/** The text of a document. */
export interface Extracted {
  markdown: string;
  /** Pages that a page links to, in its order; http and https only, without fragments. */
  links: string[];
}

/** Longest text of one document, in UTF-16 code units: that of about fifteen novels. */
const longest = 10_000_000;

/**
 * Finds the text of a document. The document may be hostile, so this runs in a thread with bounds.
 *
 * @throws ExtractionError
 */
export async function extract(task: ExtractionTask): Promise<Extracted> {
  const { markdown, links } = await read(task);
  if (markdown.length > longest) {
    throw new ExtractionError(`The document has more than ${longest.toLocaleString('en')} characters.`);
  }
  // PostgreSQL can store neither null characters nor half an emoji.
  return { markdown: fitText(markdown).trim(), links };
}

async function read(task: ExtractionTask): Promise<Extracted> {
  switch (task.type) {
    case 'pdf':
      return { markdown: await pdfMarkdown(task.bytes), links: [] };
    case 'docx':
      return { markdown: await docxMarkdown(task.bytes), links: [] };
    case 'page':
      return pageMarkdown(task.html, task.url);
  }
}
