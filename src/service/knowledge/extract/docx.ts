import mammoth from 'mammoth';
import { fromBufferPromise } from 'yauzl';
import { ExtractionError } from './extraction-error.ts';
import { htmlToMarkdown } from './html.ts';

/** Largest uncompressed Word document: number of files, and their bytes in total. */
const limit = { files: 5000, bytes: 160 * 1024 * 1024 };

/**
 * Converts a Word document to Markdown.
 *
 * @throws ExtractionError
 */
export async function docxToMarkdown(bytes: Uint8Array): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let html: string;
  try {
    await checkSize(buffer);
    ({ value: html } = await mammoth.convertToHtml(
      { buffer },
      // Images have no text. Without a source they are dropped from the Markdown.
      {
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        externalFileAccess: false,
      },
    ));
  } catch (cause) {
    if (cause instanceof ExtractionError || cause instanceof RangeError) throw cause;
    throw new ExtractionError('The file is not a readable Word document (.docx).', { cause });
  }
  const markdown = htmlToMarkdown(html);
  if (markdown === '') throw new ExtractionError('The document has no text.');
  return markdown;
}

/** Rejects zip bombs by their declared sizes. One with false sizes hits the memory limit of the process. */
async function checkSize(buffer: Buffer): Promise<void> {
  const zip = await fromBufferPromise(buffer);
  let files = 0;
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    files++;
    bytes += entry.uncompressedSize;
    if (files > limit.files || bytes > limit.bytes)
      throw new ExtractionError('The file unpacks to more than a document can have.');
  }
}
