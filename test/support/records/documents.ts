import { crc32, deflateRawSync } from 'node:zlib';
import type { Owner } from './owner.ts';
import type { TestService } from '../service/service.ts';

/** A document as the service returns it. */
export type DocumentRecord = Record<string, unknown> & { id: number; status: string };

/** Reads a document until it is no longer `processing`. */
export async function processed(owner: Owner, base: number, document: number): Promise<DocumentRecord> {
  for (;;) {
    const { status, json, text } = await owner.get(`knowledgebases/${base}/documents/${document}`);
    if (status !== 200) throw new Error(`The document cannot be read: ${status} ${text}`);
    const data = json['data'] as DocumentRecord;
    if (data.status !== 'processing') return data;
  }
}

/** Waits until a document is processed; returns its status, failure and extracted text. */
export async function outcomeOf(
  { running }: TestService,
  owner: Owner,
  base: number,
  id: number,
): Promise<{ status: string; failure: string | null; text: string }> {
  const { status, failure: reported } = await processed(owner, base, id);
  const { rows } = await running.database.pool.query<{ failure: string | null; text: string; kept: boolean }>(
    `SELECT failure, EXISTS (SELECT 1 FROM document_sources WHERE document_id = $1) AS kept,
       (SELECT coalesce(string_agg(heading || ': ' || body, E'\\n' ORDER BY position), '') FROM chunks WHERE document_id = $1) AS text
     FROM documents WHERE id = $1`,
    [id],
  );
  const [stored] = rows;
  if ((reported ?? null) !== (stored?.failure ?? null))
    throw new Error('The response and the database have different reasons of failure.');
  if (stored?.kept !== false) throw new Error('The file is still stored although it has been processed.');
  return { status, failure: stored.failure, text: stored.text };
}

/**
 * Returns a PDF with these pages, in Latin-1 and U+2010, or in the codes of another font; a line break in a page starts a
 * new line.
 */
export function makePdf(
  pages: string[],
  options: { stream?: Buffer; trailer?: string; font?: string } = {},
): Uint8Array<ArrayBuffer> {
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    options.font ??
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [16 /hyphentwo] >> >>',
  ];
  for (const [index, page] of pages.entries()) {
    const lines = page
      .replaceAll('\u2010', '\x10')
      .split('\n')
      .map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
    const content =
      options.stream ?? Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(' ')} ET`, 'latin1');
    const filter = options.stream ? '/Filter [/FlateDecode /FlateDecode] ' : '';
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      Buffer.concat([
        Buffer.from(`<< ${filter}/Length ${content.length} >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    offsets.push(at);
    at += part.length;
    parts.push(part);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${options.trailer ?? ''} >>\nstartxref\n${at}\n%%EOF`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/** Returns a Word document with this XML in its body, and more files in its archive. */
export function makeDocx(body: string, more: Record<string, Buffer> = {}): Uint8Array<ArrayBuffer> {
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  return makeZip({
    '[Content_Types].xml': Buffer.from(
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    ),
    '_rels/.rels': Buffer.from(
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    'word/document.xml': Buffer.from(`<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`),
    ...more,
  });
}

/** Returns the XML of a paragraph of a Word document. */
export const docxParagraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

function makeZip(files: Record<string, Buffer>): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, tail, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...locals, directory, end]));
}
