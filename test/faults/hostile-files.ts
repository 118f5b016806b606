import { deflateSync } from 'node:zlib';
import { docxParagraph, makeDocx, makePdf } from '../support/records/documents.ts';
import type { SitePage } from '../support/servers/website.ts';

/** A hostile document: a file, or pages of a website, of which the first one is read. */
export type HostileDocument =
  | { type: 'txt' | 'docx' | 'pdf'; make: () => Uint8Array<ArrayBuffer> }
  | { type: 'website'; pages: () => Record<string, SitePage> };

const megabyte = 1024 * 1024;

const txt = (text: () => string): HostileDocument => ({
  type: 'txt',
  make: () => new Uint8Array(Buffer.from(text())),
});
const docx = (body: () => string, more: () => Record<string, Buffer> = () => ({})): HostileDocument => ({
  type: 'docx',
  make: () => makeDocx(body(), more()),
});
const page = (html: () => string): HostileDocument => ({
  type: 'website',
  pages: () => ({ '/': `<html><body>${html().slice(0, 4_900_000)}` }),
});

/** A PDF without a table of its objects, which readers then search for. */
const pdf = (...objects: (() => string)[]): HostileDocument => ({
  type: 'pdf',
  make: () => {
    const numbered = objects.map((object, index) => `${index + 1} 0 obj\n${object()}\nendobj\n`);
    return new Uint8Array(
      Buffer.from(`%PDF-1.4\n${numbered.join('')}trailer\n<< /Root 1 0 R >>\n%%EOF`, 'latin1'),
    );
  },
});
const catalog = () => '<< /Type /Catalog /Pages 2 0 R >>';
const onePage = () => '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
const pageWith = (resources: string) => () =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << ${resources} >> >>`;
const stream =
  (content: () => string, entries = '') =>
  () => {
    const text = content();
    return `<< ${entries} /Length ${text.length} >>\nstream\n${text}\nendstream`;
  };

const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + docxParagraph('x') + close.repeat(depth);

/** A Word document whose archive understates the size of a file. */
function understatedBomb(): Uint8Array<ArrayBuffer> {
  const size = 300 * megabyte;
  const archive = Buffer.from(makeDocx('', { 'word/document.xml': Buffer.alloc(size, ' ') }));
  const stated = Buffer.alloc(4);
  stated.writeUInt32LE(size);
  for (let at = archive.indexOf(stated); at >= 0; at = archive.indexOf(stated)) archive.writeUInt32LE(99, at);
  return new Uint8Array(archive);
}

/** A body with its own document type, which XML readers may expand. */
const withDoctype = (doctype: string, text: string): HostileDocument =>
  docx(
    () => '',
    () => ({
      'word/document.xml': Buffer.from(
        `<!DOCTYPE w:document [${doctype}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${docxParagraph(text)}</w:body></w:document>`,
      ),
    }),
  );

const laughs = Array.from({ length: 10 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('');

const wordFile = (content: string) =>
  Buffer.from(
    `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:styles>`,
  );

const relationship = (target: string) =>
  Buffer.from(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="${target}"/></Relationships>`,
  );

/** 40 documents that take much time, memory or files, or lead out of their archive, if a reader lets them. */
export const hostileDocuments: Record<string, HostileDocument> = {
  'a text of 100,000 paragraphs': txt(() => 'p\n\n'.repeat(100_000)),
  'a text of 60,000 headings': txt(() => '# a\n\nb\n\n'.repeat(60_000)),
  'a text of nested lists': txt(() =>
    Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n'),
  ),
  'a text of nested quotes': txt(() => `${'>'.repeat(50_000)} x`),
  'a text of two million brackets': txt(() => '['.repeat(2_000_000)),
  'a text of unclosed links': txt(() => '[a]('.repeat(500_000)),
  'a text of unclosed emphasis': txt(() => '*a_'.repeat(500_000)),
  'a text of unclosed fences': txt(() => '```\n~~~\n'.repeat(200_000)),
  'a text of a table with 300,000 columns': txt(
    () => `|a${'|b'.repeat(300_000)}|\n|-${'|-'.repeat(300_000)}|\n`,
  ),
  'a text with a heading of 600,000 spaces': txt(() => `# a${' '.repeat(600_000)}a\n\nx`),
  'a text of one word of five million letters': txt(() => 'x'.repeat(5_000_000)),
  'a text of invalid bytes': { type: 'txt', make: () => new Uint8Array(2 * megabyte).fill(0xff) },

  'a Word document that unpacks to 170 MB': docx(
    () => docxParagraph('x'),
    () => ({ 'word/bomb.xml': Buffer.alloc(170 * megabyte) }),
  ),
  'a Word document that understates its size': { type: 'docx', make: understatedBomb },
  'a Word document of 6,000 files': docx(
    () => docxParagraph('x'),
    () => Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`word/${n}.xml`, Buffer.from('x')])),
  ),
  'a Word document with files outside of its archive': docx(
    () => docxParagraph('x'),
    () =>
      Object.fromEntries(
        ['../../../../tmp/hostile', '/etc/hostile', '..\\..\\hostile', 'word/../../hostile'].map((name) => [
          name,
          Buffer.from('x'),
        ]),
      ),
  ),
  'a Word document of 20,000 nested tables': docx(() =>
    nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 20_000),
  ),
  'a Word document of 50,000 nested elements': docx(() => nested('<w:ins>', '</w:ins>', 50_000)),
  'a Word document of a table with 10,000 cells': docx(
    () => `<w:tbl>${`<w:tr>${`<w:tc>${docxParagraph('x')}</w:tc>`.repeat(100)}</w:tr>`.repeat(100)}</w:tbl>`,
  ),
  'a Word document of an element with 100,000 attributes': docx(
    () =>
      `<w:p ${Array.from({ length: 100_000 }, (_, n) => `a${n}="x"`).join(' ')}><w:r><w:t>x</w:t></w:r></w:p>`,
  ),
  'a Word document of 10,000,000,000 entities': withDoctype(`<!ENTITY a0 "ha">${laughs}`, '&a10;'),
  'a Word document with an entity of a file': withDoctype('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;'),
  'a Word document whose styles are based on each other': docx(
    () => docxParagraph('x', 'A'),
    () => ({
      'word/_rels/document.xml.rels': relationship('styles.xml'),
      'word/styles.xml': wordFile(
        '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>',
      ),
    }),
  ),
  'a Word document whose styles are the document': docx(
    () => docxParagraph('x'),
    () => ({ 'word/_rels/document.xml.rels': relationship('document.xml') }),
  ),
  'a Word document that is cut off': {
    type: 'docx',
    make: () => makeDocx(docxParagraph('x')).slice(0, -40),
  },

  'a PDF that unpacks to 450 MB': {
    type: 'pdf',
    make: () => makePdf(['x'], { stream: deflateSync(deflateSync(Buffer.alloc(450 * megabyte))) }),
  },
  'a PDF with a page of 50,000 lines': { type: 'pdf', make: () => makePdf(['x\n'.repeat(50_000)]) },
  'a PDF whose pages contain each other': pdf(
    catalog,
    () => '<< /Type /Pages /Count 2 /Kids [3 0 R] >>',
    () => '<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [2 0 R] >>',
  ),
  'a PDF of a billion pages': pdf(catalog, () => '<< /Type /Pages /Count 1000000000 /Kids [] >>'),
  'a PDF whose tables of objects refer to each other': {
    type: 'pdf',
    make: () => makePdf(['x'], { trailer: '/Prev 9' }),
  },
  'a PDF of 500,000 nested arrays': pdf(catalog, onePage, pageWith(''), () => '['.repeat(500_000)),
  'a PDF with a form that contains itself': pdf(
    catalog,
    onePage,
    pageWith('/XObject << /X 5 0 R >>'),
    stream(() => '/X Do'),
    stream(
      () => '/X Do /X Do',
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>',
    ),
  ),
  'a PDF whose length is itself': pdf(
    catalog,
    onePage,
    pageWith(''),
    () => '<< /Length 4 0 R >>\nstream\nx\nendstream',
  ),
  'a PDF of a million saved states': pdf(
    catalog,
    onePage,
    pageWith(''),
    stream(() => 'q '.repeat(1_000_000)),
  ),

  'a page with a tag of 300,000 attributes': page(
    () => `<p ${Array.from({ length: 300_000 }, (_, n) => `a${n}`).join(' ')}>x`,
  ),
  'a page of 200,000 nested elements': page(() => `${'<div>'.repeat(200_000)}x`),
  'a page of a million unclosed entities': page(() => '&'.repeat(1_000_000)),
  'a page with a cell of a million spaces': page(
    () => `<table><tr><td>a${' '.repeat(1_000_000)}b</td></tr></table>`,
  ),
  'a page of a table with 50,000 cells': page(
    () => `<table>${`<tr>${'<td>x'.repeat(250)}`.repeat(200)}</table>`,
  ),
  'pages that redirect to each other': {
    type: 'website',
    pages: () => ({ '/': { status: 302, location: 'next' }, '/next': { status: 302, location: './' } }),
  },
};
