import type { MiddlewareHandler } from 'hono';
import { errorTexts } from '../../contract/error-body.ts';
import { useApiKey } from '../api-key/api-key.ts';
import type { ApiUser } from '../api-key/api-key.ts';
import type { Database } from '../db/database.ts';

/** What a route behind `bearerAuth` finds in its context. */
export interface Authenticated {
  Variables: { user: ApiUser };
}

/** Lets in requests that carry a valid key (interface: "Authentication"). */
export function bearerAuth({ db }: Database): MiddlewareHandler<Authenticated> {
  return async (c, next) => {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const user = token === undefined ? undefined : await useApiKey(db, token);
    c.header('Cache-Control', 'no-store');
    if (!user) {
      c.header('WWW-Authenticate', 'Bearer');
      return c.json({ message: errorTexts.unauthenticated }, 401);
    }
    c.set('user', user);
    return next();
  };
}
