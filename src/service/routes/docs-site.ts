import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { etag } from 'hono/etag';

/** A file's name contains the hash of its content. */
const isHashed = (path: string) => path.startsWith('/docs/assets/');

/** Serves the built documentation in `folder` at `/docs`, with pages at addresses without an extension. */
export function docsSiteRoutes(folder: string): Hono {
  const routes = new Hono();
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  let policy: string | undefined;

  routes.get('/docs', (c) => c.redirect('/docs/'));
  routes.get(
    '/docs/*',
    async (c, next) => {
      const index = policy ?? read('index.html');
      // Kept once there is a page: `npm start` builds the documentation while the service already runs.
      if (index !== undefined) policy ??= policyFor(index);
      c.header('Content-Security-Policy', policy ?? policyFor(''));
      c.header('Cache-Control', isHashed(c.req.path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      await next();
    },
    etag(),
    serveStatic({
      precompressed: true,
      // Not `root`, which writes to the console when the folder is missing.
      rewriteRequestPath: (path) => join(folder, fileOf(path.slice('/docs'.length))),
    }),
    (c) => {
      c.header('Cache-Control', 'no-cache');
      const page = read('404.html');
      if (page !== undefined) return c.html(page, 404);
      c.header('Refresh', '3');
      return c.text(
        'The documentation is not built yet. In a checkout, `npm start` builds it in the first minute, and ' +
          '`npm run build` builds everything. This page looks again every three seconds.',
        404,
      );
    },
  );
  return routes;
}

/** The file of a page: `/embed/react` is `/embed/react.html`. */
function fileOf(path: string): string {
  if (path.endsWith('/')) return `${path}index.html`;
  return /\.\w+$/.test(path) ? path : `${path}.html`;
}

/** Allows the service's own files and the inline scripts of a page; every page of the build has the same ones. */
function policyFor(page: string): string {
  const scripts = Array.from(
    page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g),
    ([, code = '']) => code,
  );
  const hashes = scripts.map((code) => ` 'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join('')}`,
    // Highlighted code and the HTTP reference use style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
