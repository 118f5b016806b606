import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import { demoAssistants } from '../src/service/seed/demo-assistants.ts';
import { faults } from './faults.ts';

/** The pages' policy, as on strict sites: everything comes from this origin. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "object-src 'none'",
].join('; ');

/** The page with the strictest policy that the chat supports; Lit creates the policy `lit-html`. */
const strictest = {
  path: '/hostile-policy.html',
  policy:
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html",
};

/**
 * Adds the demo to a service: the shop's pages, the gallery and the preview, the list of assistants that these two
 * offer, the preview's tokens, and the gallery's faulty services.
 *
 * @param stopped aborts when the server stops.
 * @param createPreviewToken creates a token for an assistant; undefined if it is not one of the demo.
 */
export function mountDemo(
  app: Hono,
  stopped: AbortSignal,
  createPreviewToken: (uuid: string) => Promise<{ token: string } | undefined>,
): void {
  app.route('/faults', faults(stopped));
  app.post('/preview-token/:uuid', async (context) => {
    const created = await createPreviewToken(context.req.param('uuid'));
    context.header('Cache-Control', 'no-store');
    return created ? context.json(created) : context.json({ message: 'Not found.' }, 404);
  });
  app.get('/assistants.json', (context) =>
    context.json(demoAssistants.map(({ uuid, name, shows, language }) => ({ uuid, name, shows, language }))),
  );
  app.get(
    '*',
    etag(),
    async (context, next) => {
      context.header('Cache-Control', 'no-cache');
      context.header(
        'Content-Security-Policy',
        context.req.path === strictest.path ? strictest.policy : contentSecurityPolicy,
      );
      await next();
    },
    serveStatic({ root: fileURLToPath(new URL('site', import.meta.url)) }),
  );
}
