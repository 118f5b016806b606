import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

/** How long browsers may cache a preflight response, in seconds. */
const preflightSeconds = 86_400;

/** Response headers that pages may read. */
const exposed = ['ETag', 'Retry-After'];

/** Lets pages of any origin call the public endpoints, without cookies or other credentials. */
export function publicCors(): MiddlewareHandler {
  const answerPreflight = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowHeaders: ['Content-Type', 'Accept', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID'],
    exposeHeaders: exposed,
    maxAge: preflightSeconds,
  });
  return (c, next) => {
    if (c.req.method === 'OPTIONS') return answerPreflight(c, next);
    // Not by Hono's middleware, which creates a response before there is one and then copies every body as a stream.
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Access-Control-Expose-Headers', exposed.join());
    return next();
  };
}
