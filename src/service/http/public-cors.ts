import { cors } from 'hono/cors';

/** How long browsers may cache a preflight response, in seconds. */
const preflightSeconds = 86_400;

/** Lets pages of any origin call the public endpoints, without cookies or other credentials. */
export const publicCors = () =>
  cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowHeaders: ['Content-Type', 'Accept', 'Idempotency-Key'],
    exposeHeaders: ['Retry-After'],
    maxAge: preflightSeconds,
  });
