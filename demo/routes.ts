import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import { demoAssistants } from '../src/service/seed/demo-assistants.ts';
import { faults } from './faults.ts';

/** What the pages may do: nothing that does not come from here. The widget has to live with it, as on strict sites. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "object-src 'none'",
].join('; ');

/**
 * Adds the demo to a service: the shop's pages, the gallery and the preview, the list of assistants that these two
 * offer, and the services at fault that the gallery shows.
 *
 * @param stopped aborts when the server stops.
 */
export function mountDemo(app: Hono, stopped: AbortSignal): void {
  app.route('/faults', faults(stopped));
  app.get('/assistants.json', (context) =>
    context.json(demoAssistants.map(({ uuid, name, shows, language }) => ({ uuid, name, shows, language }))),
  );
  app.get(
    '*',
    etag(),
    async (context, next) => {
      context.header('Cache-Control', 'no-cache');
      context.header('Content-Security-Policy', contentSecurityPolicy);
      await next();
    },
    serveStatic({ root: fileURLToPath(new URL('site', import.meta.url)) }),
  );
}
