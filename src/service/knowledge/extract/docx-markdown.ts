import mammoth from 'mammoth';
import { checkZip } from './check-zip.ts';
import { ExtractionError } from './extraction-error.ts';
import { htmlMarkdown } from './html-markdown.ts';

/** The text of a Word document, with its headings, lists and tables. @throws ExtractionError */
export async function docxMarkdown(bytes: Uint8Array): Promise<string> {
  checkZip(bytes);
  const markdown = htmlMarkdown(await toHtml(bytes));
  if (markdown === '') throw new ExtractionError('The document has no text.');
  return markdown;
}

async function toHtml(bytes: Uint8Array): Promise<string> {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
      // Pictures have no text; without an address they vanish on the way to Markdown.
      {
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        externalFileAccess: false,
      },
    );
    return value;
  } catch (cause) {
    throw new ExtractionError('The file is not a readable Word document (.docx).', { cause });
  }
}
