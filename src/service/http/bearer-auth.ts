import type { Context, Hono, MiddlewareHandler } from 'hono';
import { errorTexts } from '../../contract/error-body.ts';
import { listOperations } from '../../contract/operations.ts';
import type { Scope } from '../../contract/operations.ts';
import { authenticate } from '../api-key/api-key.ts';
import type { ApiUser, KeyRefusal } from '../api-key/api-key.ts';
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
  Variables: { user: ApiUser; isInContract?: boolean };
}

const refusalTexts: Record<KeyRefusal, string> = {
  unknown: errorTexts.unauthenticated,
  expired: 'The API key has expired. "keys create" on the command line creates another one.',
};

/** Requires a valid key (interface: "Authentication"). */
export function bearerAuth({ db }: Database): MiddlewareHandler<Authenticated> {
  return async (c, next) => {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const user = token === undefined ? 'unknown' : await authenticate(db, token);
    c.header('Cache-Control', 'no-store');
    if (typeof user === 'string') {
      c.header('WWW-Authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
      return c.json(ownerError(c, refusalTexts[user]), 401);
    }
    c.set('user', user);
    return next();
  };
}

/**
 * Requires the scope of each operation of the contract, and refuses requests to all other routes behind `bearerAuth`, so
 * that no route can be reached without a scope. (RFC 6750: `insufficient_scope`.)
 */
export function requireScopes(app: Hono): void {
  const routes = app as unknown as Hono<Authenticated>;
  for (const [, { method, path, aliases = [], scope }] of listOperations()) {
    if (scope === undefined) continue;
    routes.on(method, [path, ...aliases], (c, next) => {
      c.set('isInContract', true);
      if (c.get('user').scopes.includes(scope)) return next();
      c.header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
      return Promise.resolve(c.json(ownerError(c, missingScope(scope)), 403));
    });
  }
  for (const path of keyedPaths) {
    routes.use(path, async (c, next) => {
      if (!c.get('isInContract')) return c.notFound();
      await next();
    });
  }
}

const missingScope = (scope: Scope) =>
  `The API key does not have the scope "${scope}". "keys create --scope ${scope}" on the command line creates one that does.`;
