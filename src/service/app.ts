import { join } from 'node:path';
import { getPath } from 'hono/utils/url';
import { Hono } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX, compress } from 'hono/compress';
import { secureHeaders } from 'hono/secure-headers';
import { accessLog } from './http/access-log.ts';
import { errorHandler } from './http/answer-error.ts';
import { requireKeys } from './http/bearer-auth.ts';
import { UntrustedProxy } from './http/client-address.ts';
import { publicCors } from './http/public-cors.ts';
import { withPublicUrl } from './http/public-origin.ts';
import { rateLimit } from './http/rate-limit.ts';
import type { AppContext } from './routes/app-context.ts';
import { assistantWidgetRoutes } from './routes/assistant-widget.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { docsSiteRoutes } from './routes/docs-site.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { embedScriptRoutes } from './routes/embed-script.ts';
import { healthRoutes, readinessRoutes } from './routes/health.ts';
import { automateRoutes } from './routes/owner-conversations.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { aliasRoutes, userRoutes } from './routes/user.ts';
import { warnOfMissingWidget, widgetFileRoutes } from './routes/widget-files.ts';

/** Creates the HTTP application: the routes, with the middleware that all of them share. */
export function createApp(context: AppContext): Hono {
  const { carrier, config, database, log } = context;
  const app = new Hono({ getPath: routedPath });
  app.onError(errorHandler(log));
  app.notFound((c) => c.json({ message: 'Not found.' }, 404));

  app.use(accessLog(log));
  // HSTS is left to the proxy that terminates TLS.
  app.use(secureHeaders({ overwrite: false, strictTransportSecurity: false }));
  // Most JSON responses are too small to benefit; the one that can be large compresses itself.
  app.use(
    compress({
      contentTypeFilter: (type) => COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type) && !type.includes('json'),
    }),
  );

  // Before the limits for visitors: a carrier signs its requests, sends them from few addresses, and continues during a
  // stop.
  if (carrier.routes) app.route('/api/carrier', carrier.routes);
  app.use('/api/conversations/*', publicCors());
  app.use('/api/assistants/*', publicCors());
  app.use('/api/*', async (c, next) => {
    // Responses are data: a browser that is tricked into showing one as a page must not run anything in it.
    c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    if (!context.isStopping()) return next();
    c.header('Connection', 'close');
    c.header('Retry-After', '1');
    return c.json({ message: 'The service is being restarted. Please try again.' }, 503);
  });
  const untrustedProxy = new UntrustedProxy();
  app.use('/api/*', untrustedProxy.detect(config.trustedProxies, log));
  app.use('/api/*', rateLimit(database, config));
  requireKeys(app, database, config, log);
  app.use('/api/user/*', withPublicUrl(config.publicUrl));

  app.route('/api', openApiRoutes());
  app.route('/api/conversations', conversationRoutes(context, config));
  app.route('/api/assistants', assistantWidgetRoutes(database, context.webCalls.supportsCalls));
  app.route('/api/user', userRoutes(context));
  app.route('/api', aliasRoutes(context));
  app.route('/api/recordings', recordingRoutes({ database, carrier, log }));
  app.route('/api/automate', automateRoutes());
  app.route('/healthz', healthRoutes(database, log));
  app.route(
    '/readyz',
    readinessRoutes(database, log, async (canQuery) => [
      ...untrustedProxy.warnings,
      ...context.modelProblems(),
      ...[carrier.problem?.() ?? []].flat(),
      ...(await context.webCalls.problems(canQuery)),
      ...[warnOfMissingWidget(config.widgetDir) ?? []].flat(),
    ]),
  );
  app.route(
    '/embed',
    embedScriptRoutes(database, {
      widgetDir: config.widgetDir,
      supportsCalls: context.webCalls.supportsCalls,
      log,
    }),
  );
  app.route('/', docsSiteRoutes(join(config.widgetDir, 'docs')));
  app.route('/', widgetFileRoutes(config.widgetDir, config.dataDir));
  return app;
}

/**
 * Returns the path by which a request is routed. In the API, slashes at its end and repeated ones at its beginning do
 * not count: clients get them when they join a base URL and a path.
 */
function routedPath(request: Request): string {
  const path = getPath(request);
  const api = /^\/+api\//.exec(path);
  if (!api) return path;
  let end = path.length;
  while (path.endsWith('/', end)) end--;
  return path.slice(api[0].length - '/api/'.length, Math.max(end, api[0].length));
}
