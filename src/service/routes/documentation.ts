import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { docsPolicy, renderDocs } from '../documentation/docs-page.ts';
import { createOpenApiDocument } from '../openapi/openapi-document.ts';

/** Seconds that a reader may go without asking again. */
const maximumAge = 300;

/** What the service can do: `GET /api/openapi.json` for machines, `GET /api/docs` for people. Open to everyone. */
export function documentationRoutes(): Hono {
  const routes = new Hono();
  const document = onFirstUse(() => createOpenApiDocument(readVersion()));
  const json = onFirstUse(() => JSON.stringify(document()));
  const page = onFirstUse(() => renderDocs(document()));
  const cached = { 'Cache-Control': `public, max-age=${maximumAge}` };
  routes.get('/openapi.json', compress(), etag(), (c) => {
    c.header('Access-Control-Allow-Origin', '*');
    return c.body(json(), 200, { ...cached, 'Content-Type': 'application/json' });
  });
  routes.get('/docs', etag(), (c) => {
    c.header('Content-Security-Policy', docsPolicy);
    return c.html(page(), 200, cached);
  });
  return routes;
}

/** Most processes are never asked. */
function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
