import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { etag } from 'hono/etag';
import type { Logger } from 'pino';
import { readAssistantWidget } from '../assistant/read-assistant-widget.ts';
import type { SupportsCalls } from '../assistant/read-assistant-widget.ts';
import type { Database } from '../db/database.ts';
import { isUuid } from '../lib/uuid.ts';
import { allowAnyOrigin, notBuilt, retainedHeaders } from './widget-files.ts';

/** Cache lifetime in seconds. Short, so that changes of the settings appear soon. */
const maxAge = 60;

/** Number of scripts in the cache, about 15 kB each. */
const cacheSize = 500;

interface Script {
  /** Identifies the settings and the shell that it consists of. */
  key: string;
  digest: string;
  identity: Buffer;
  br: Buffer;
  gzip: Buffer;
}

/**
 * Serves the short snippet, `<script src="…/embed/ASSISTANT-UUID.js" async>`: the assistant's public settings and
 * `embed.js` in one file. The settings are on a separate line at the start. It is empty if they cannot be read; the shell
 * then requests them and reports the problem.
 */
export function embedScriptRoutes(
  { db }: Database,
  { widgetDir, supportsCalls, log }: { widgetDir: string; supportsCalls: SupportsCalls; log: Logger },
): Hono {
  const readShell = shellReader(join(widgetDir, 'embed.js'));
  const cache = new Map<string, Script>();

  const readSettings = async (uuid: string) => {
    try {
      // Only in lower case: other spellings would each take a place in the cache.
      return isUuid(uuid) && uuid === uuid.toLowerCase()
        ? await readAssistantWidget(db, uuid, supportsCalls)
        : undefined;
    } catch (error) {
      log.error({ err: error }, 'a snippet was served without its settings');
      return undefined;
    }
  };

  const routes = new Hono();
  routes.get('/embed.js.map', async (c) => {
    const map = await readFile(join(widgetDir, 'embed.js.map'), 'utf8').catch(() => undefined);
    if (map === undefined) return notBuilt(c);
    allowAnyOrigin(c);
    // An index map: the mappings of `embed.js` start after the line with the settings.
    const indexed = `{"version":3,"sections":[{"offset":{"line":1,"column":0},"map":${map}}]}`;
    return c.body(indexed, 200, { 'Content-Type': 'application/json' });
  });
  routes.get('/:file{[\\w-]{1,64}\\.js}', etag({ retainedHeaders }), async (c) => {
    const id = c.req.param('file').slice(0, -'.js'.length);
    const [shell, settings] = await Promise.all([readShell(), readSettings(id)]);
    if (!shell) return notBuilt(c);
    const statement = settings
      ? `(globalThis.voiceAssistantChatSettings??={})[${toLiteral(id)}]=${toLiteral(settings)};`
      : '';
    const name = settings ? id : '';
    let script = cache.get(name);
    if (script?.key !== shell.digest + statement) {
      script = await createScript(shell, statement);
      cache.delete(name);
      cache.set(name, script);
      for (const oldest of cache.keys()) if (cache.size > cacheSize) cache.delete(oldest);
    }
    return respond(c, script);
  });
  return routes;
}

/** Converts a value to a JavaScript literal that is safe inside HTML. */
const toLiteral = (value: unknown) =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns a function that reads a file again only after it has changed. */
function shellReader(path: string) {
  let cached: { modified: number; digest: string; content: Buffer } | undefined;
  return async () => {
    try {
      const { mtimeMs: modified } = await stat(path);
      if (cached?.modified === modified) return cached;
      const content = await readFile(path);
      return (cached = { modified, content, digest: digestOf(content) });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
}

async function createScript(shell: { digest: string; content: Buffer }, statement: string): Promise<Script> {
  const { content } = shell;
  // Browsers obey a compile hint only if nothing but comments precedes it.
  const start = content.indexOf('//#') === 0 ? content.indexOf('\n') + 1 : 0;
  const parts = [content.subarray(0, start), Buffer.from(`${statement}\n`), content.subarray(start)];
  const identity = Buffer.concat(parts);
  return {
    key: shell.digest + statement,
    digest: digestOf(identity),
    identity,
    br: await promisify(brotliCompress)(identity),
    gzip: await promisify(gzip)(identity),
  };
}

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('base64url').slice(0, 27);

function respond(c: Context, script: Script): Response {
  const encoding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['br', 'gzip'],
    default: 'identity',
    // Browsers accept all encodings without preference, so the smallest is sent.
    match: (accepted, { supports, default: none }) =>
      supports.find((encoding) => accepted.some(({ type, q }) => type === encoding && q > 0)) ?? none,
  }) as 'br' | 'gzip' | 'identity';
  allowAnyOrigin(c);
  c.header('Cache-Control', `public, max-age=${maxAge}`);
  c.header('Vary', 'Accept-Encoding');
  c.header('ETag', `"${script.digest}-${encoding}"`);
  if (encoding !== 'identity') c.header('Content-Encoding', encoding);
  return c.body(new Uint8Array(script[encoding]), 200, { 'Content-Type': 'text/javascript; charset=utf-8' });
}
