import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { readVersion } from '../lib/read-version.ts';
import { createOpenApiDocument } from '../openapi/openapi-document.ts';

/** Cache lifetime in seconds. */
const maxAge = 300;

/** `GET /api/openapi.json`, from which the reference of the documentation is made; `GET /api/docs` was one, too. */
export function openApiRoutes(): Hono {
  const routes = new Hono();
  const json = lazy(() => JSON.stringify(createOpenApiDocument(readVersion())));
  const cached = { 'Cache-Control': `public, max-age=${maxAge}` };
  routes.get('/openapi.json', compress(), etag(), (c) => {
    c.header('Access-Control-Allow-Origin', '*');
    return c.body(json(), 200, { ...cached, 'Content-Type': 'application/json' });
  });
  // Relative, since the service may be below a path of a proxy.
  routes.get('/docs', (c) => {
    const up = new URL(c.req.url).pathname.endsWith('/') ? '../../' : '../';
    return c.redirect(`${up}docs/http-reference`, 301);
  });
  return routes;
}

/** Computes a value on first use; most processes never serve the documentation. */
function lazy<Value>(compute: () => Value): () => Value {
  let computed: { value: Value } | undefined;
  return () => (computed ??= { value: compute() }).value;
}
