import type { Context, MiddlewareHandler } from 'hono';
import { errorTexts } from '../../contract/error-body.ts';
import { authenticate } from '../api-key/api-key.ts';
import type { ApiUser } from '../api-key/api-key.ts';
import type { Database } from '../db/database.ts';

/** The endpoints that require a key. Their errors have another format than those of the public ones. */
export const keyedPaths = ['/api/user/*', '/api/automate/*', '/api/leads/*', '/api/ai/*'];

/** Whether an endpoint requires a key. */
export const requiresKey = (c: Context): boolean =>
  keyedPaths.some((path) => `${c.req.path}/`.startsWith(path.slice(0, -1)));

/** The error body of an endpoint that requires a key; clients of the human handoff read all three fields. */
export const ownerError = (c: Context, message: string) =>
  c.req.path.startsWith('/api/automate/') ? { status: false, error: message, message } : { message };

/** The context of a route behind `bearerAuth`. */
export interface Authenticated {
  Variables: { user: ApiUser };
}

/** Requires a valid key (interface: "Authentication"). */
export function bearerAuth({ db }: Database): MiddlewareHandler<Authenticated> {
  return async (c, next) => {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const user = token === undefined ? undefined : await authenticate(db, token);
    c.header('Cache-Control', 'no-store');
    if (!user) {
      c.header('WWW-Authenticate', 'Bearer');
      return c.json(ownerError(c, errorTexts.unauthenticated), 401);
    }
    c.set('user', user);
    return next();
  };
}
