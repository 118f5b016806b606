import { fitText } from '../../lib/storable.ts';
import { normalizeText } from '../normalize-text.ts';
import { chunkMarkdown, totalLength } from './chunk-markdown.ts';
import type { Chunk } from './chunk-markdown.ts';
import { docxToMarkdown } from './docx.ts';
import { ExtractionError } from './extraction-error.ts';
import { isIndexed, readPage } from './html.ts';
import { extractionLimits } from './extractor.ts';
import { pdfToMarkdown } from './pdf.ts';

/** A document whose text is to be extracted. `name` is the heading of text before the first heading. */
export type ExtractionTask = { name: string; bytes: Uint8Array } & (
  | { type: 'pdf' | 'docx' | 'txt' }
  /** A page of a website, with its `Content-Type`, the directives of its `X-Robots-Tag` and its address. */
  | { type: 'page'; contentType: string | null; robots: string; url: string }
);

/** The text of a document. */
export interface Extracted {
  chunks: Chunk[];
  /** The beginning of the text, to detect its language by. */
  sample: string;
  /** Addresses that a page links to, in order: http and https, without fragments. */
  links: string[];
}

const sampleLength = 5000;

/**
 * Extracts the text of a document. The document may be hostile, so call it only in a process with limits: see
 * `Extractor`.
 *
 * @throws ExtractionError
 */
export async function extract(task: ExtractionTask): Promise<Extracted> {
  const { markdown, links } = await read(task);
  checkLength('characters', markdown.length, extractionLimits.text);
  const text = normalizeText(fitText(markdown)).trim();
  // A line of a PDF may be a row of a table.
  const chunks = chunkMarkdown(task.name, text, task.type === 'pdf');
  checkLength('sections', chunks.length, extractionLimits.chunks);
  checkLength('characters', totalLength(chunks), extractionLimits.text);
  return { chunks, sample: text.slice(0, sampleLength).toWellFormed(), links };
}

function checkLength(unit: 'characters' | 'sections', length: number, maximum: number): void {
  if (length > maximum)
    throw new ExtractionError(`The document has more than ${maximum.toLocaleString('en')} ${unit}.`);
}

async function read(task: ExtractionTask): Promise<{ markdown: string; links: string[] }> {
  const { type, bytes } = task;
  switch (type) {
    case 'txt':
      return { markdown: new TextDecoder().decode(bytes), links: [] };
    case 'pdf':
      return { markdown: await pdfToMarkdown(bytes), links: [] };
    case 'docx':
      return { markdown: await docxToMarkdown(bytes), links: [] };
    case 'page': {
      const text = decodePage(bytes, task.contentType ?? '');
      const isPlain = /^\s*text\/plain\b/i.test(task.contentType ?? '');
      if (!isPlain) return readPage(text, task.url, task.robots);
      return { markdown: isIndexed(task.robots) ? text : '', links: [] };
    }
  }
}

/**
 * Decodes a page by its byte order mark, else by the charset of its header, else by the one in its first bytes, else as
 * UTF-8. As in the HTML standard, a page that declares UTF-16 in ASCII is UTF-8.
 */
function decodePage(bytes: Uint8Array, contentType: string): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048));
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1];
  const label =
    byteOrderMarks.find(({ mark }) => start.startsWith(mark))?.label ??
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ??
    declared?.replace(/^utf-16.*/i, 'utf-8') ??
    'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The marks in Latin-1. */
const byteOrderMarks = [
  { mark: '\xef\xbb\xbf', label: 'utf-8' },
  { mark: '\xfe\xff', label: 'utf-16be' },
  { mark: '\xff\xfe', label: 'utf-16le' },
];
