import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

const compressors = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
  identity: (content: Buffer) => Promise.resolve(content),
};
type Encoding = keyof typeof compressors;

/** A built file, compressed once for each encoding that was asked for. */
interface WidgetFile {
  modified: number;
  content: Buffer<ArrayBuffer>;
  digest: string;
  encoded: Map<Encoding, Promise<Buffer>>;
}

/** A chunk's name carries the hash of its content, so it never changes. The entries are asked for again each time. */
const immutable = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

/**
 * Serves the built widget out of `folder`: the two entries, the chunks beside them and their source maps, to pages of
 * any origin. Nothing else of the build is reachable.
 */
export function widgetFileRoutes(folder: string): Hono {
  const files = new Map<string, WidgetFile>();
  const send = (cacheControl: string, name: (c: Context) => string) => async (c: Context) => {
    const file = await load(files, folder, name(c));
    if (!file) return c.json({ message: 'Not found. Has the widget been built (npm run build)?' }, 404);
    return respond(c, file, cacheControl, name(c));
  };
  const routes = new Hono();
  routes.get(
    '/:name{(voice-assistant-chat|embed)\\.js(\\.map)?}',
    send(revalidated, (c) => c.req.param('name') ?? ''),
  );
  routes.get(
    '/chunks/:name{[\\w.-]+\\.js(\\.map)?}',
    send(immutable, (c) => `chunks/${c.req.param('name') ?? ''}`),
  );
  return routes;
}

async function load(
  files: Map<string, WidgetFile>,
  folder: string,
  name: string,
): Promise<WidgetFile | undefined> {
  const path = join(folder, name);
  try {
    const { mtimeMs: modified } = await stat(path);
    const known = files.get(name);
    if (known?.modified === modified) return known;
    const content = await readFile(path);
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 27);
    const file: WidgetFile = { modified, content, digest, encoded: new Map() };
    files.set(name, file);
    return file;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function respond(c: Context, file: WidgetFile, cacheControl: string, name: string): Promise<Response> {
  const encoding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['br', 'gzip'],
    default: 'identity',
    // Browsers list what they take without preference, so the smallest is ours to choose.
    match: (accepted, { supports, default: none }) =>
      supports.find((encoding) => accepted.some(({ type, q }) => type === encoding && q > 0)) ?? none,
  }) as Encoding;
  // Another encoding is another sequence of bytes, which a strong tag must tell apart.
  const etag = `"${file.digest}-${encoding}"`;
  c.header('ETag', etag);
  c.header('Cache-Control', cacheControl);
  c.header('Vary', 'Accept-Encoding');
  c.header('Access-Control-Allow-Origin', '*');
  c.header('Cross-Origin-Resource-Policy', 'cross-origin');
  if (isCurrent(c.req.header('If-None-Match'), etag)) return c.body(null, 304);

  let body = file.encoded.get(encoding);
  if (!body) {
    body = compressors[encoding](file.content);
    file.encoded.set(encoding, body);
  }
  if (encoding !== 'identity') c.header('Content-Encoding', encoding);
  c.header('Content-Type', name.endsWith('.map') ? 'application/json' : 'text/javascript; charset=utf-8');
  return c.body(new Uint8Array(await body));
}

/** Compares as HTTP wants it for caches: weak tags match too. */
function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
