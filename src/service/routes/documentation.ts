import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { docsPolicy, renderDocs } from '../documentation/docs-page.ts';
import { createOpenApiDocument } from '../openapi/openapi-document.ts';

/** Cache lifetime in seconds. */
const maxAge = 300;

/** Public API documentation: `GET /api/openapi.json` for machines, `GET /api/docs` for people. */
export function documentationRoutes(): Hono {
  const routes = new Hono();
  const document = lazy(() => createOpenApiDocument(readVersion()));
  const json = lazy(() => JSON.stringify(document()));
  const page = lazy(() => renderDocs(document()));
  const cached = { 'Cache-Control': `public, max-age=${maxAge}` };
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

/** Computes a value on first use; most processes never serve the documentation. */
function lazy<Value>(compute: () => Value): () => Value {
  let computed: { value: Value } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
