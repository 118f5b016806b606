import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { errorTexts } from '../../contract/error-texts.ts';
import { recordLimits } from '../../contract/limits.ts';
import { listOperations } from '../../contract/operations.ts';
import type { Operation, Scope } from '../../contract/operations.ts';
import { authenticate, KeyRefusal } from '../api-key/api-key.ts';
import type { ApiUser } from '../api-key/api-key.ts';
import type { Database } from '../db/database.ts';
import { requestClient } from './client-address.ts';
import { drain, limitRequestBody } from './limit-request-body.ts';
import { limitFailedAttempts } from './rate-limit.ts';
import type { Window } from './rate-limit.ts';

/** The endpoints that require a key. Their errors have another format than those of the public ones. */
const keyedPaths = ['/api/user/*', '/api/automate/*', '/api/leads/*', '/api/ai/*'];

/** Whether an endpoint requires a key. */
export const requiresKey = (c: Context): boolean =>
  keyedPaths.some((path) => `${c.req.path}/`.startsWith(path.slice(0, -1)));

/** The error body of an endpoint that requires a key; clients of the human handoff read all three fields. */
export const ownerError = (c: Context, message: string) =>
  c.req.path.startsWith('/api/automate/') ? { status: false, error: message, message } : { message };

/** The context of a route behind `bearerAuth`. */
export interface Authenticated {
  Variables: {
    user: ApiUser;
    /** The address of the client. */
    address: string;
    database: Database;
    /** The operation of the contract. */
    operation: Operation & { name: string };
  };
}

/**
 * Requires a valid key with the scope of the operation, before anything reads the body, which may be as large as an
 * upload. Then limits the body of every request, keyed or not.
 */
export function requireKeys(app: Hono, ...[database, config, log]: Parameters<typeof bearerAuth>): void {
  for (const path of keyedPaths) app.use(path, bearerAuth(database, config, log));
  requireScopes(app);
  app.use('/api/*', limitRequestBody());
}

/**
 * Requires a valid key (interface: "Authentication"). Refused keys are logged, and limited by address. The log has the
 * id of a known key, never the key.
 */
function bearerAuth(
  database: Database,
  config: { rateLimit: Omit<Window, 'prefix'>; trustedProxies: number },
  log: Logger,
): MiddlewareHandler<Authenticated> {
  const countFailure = limitFailedAttempts(database, config);
  return async (c, next) => {
    c.header('Cache-Control', 'no-store');
    const header = c.req.header('Authorization');
    if (header === undefined) {
      await drain(c, recordLimits.knowledgebase.upload);
      c.header('WWW-Authenticate', 'Bearer');
      return c.json(ownerError(c, errorTexts.unauthenticated), 401);
    }
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    const address = requestClient(c, config.trustedProxies);
    const found = await authenticate(database.db, token ?? '', address);
    if (found instanceof KeyRefusal) {
      const tooMany = await countFailure(c);
      if (tooMany) return tooMany;
      const { reason, keyId } = found;
      log.warn({ address, reason, keyId }, 'an API key was refused');
      await drain(c, recordLimits.knowledgebase.upload);
      c.header('WWW-Authenticate', 'Bearer error="invalid_token"');
      return c.json(ownerError(c, describeRefusal(reason, address)), 401);
    }
    c.set('user', found);
    c.set('address', address);
    c.set('database', database);
    return next();
  };
}

function describeRefusal(reason: KeyRefusal['reason'], address: string): string {
  if (reason === 'expired') return 'The API key has expired. "keys rotate" on the command line replaces it.';
  if (reason === 'unknown') return errorTexts.unauthenticated;
  return `The API key does not allow the address ${address}. "keys list" on the command line shows which it allows.`;
}

/**
 * Requires the scope of each operation of the contract, and refuses requests to all other routes behind `bearerAuth`, so
 * that no route can be reached without a scope. (RFC 6750: `insufficient_scope`.)
 */
function requireScopes(app: Hono): void {
  const routes = app as unknown as Hono<Authenticated>;
  for (const [name, operation] of listOperations()) {
    const { method, path, aliases = [], scope } = operation;
    if (scope === undefined) continue;
    const named = { ...operation, name };
    routes.on(method, [path, ...aliases], (c, next) => {
      c.set('operation', named);
      if (c.get('user').scopes.includes(scope)) return next();
      c.header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
      return Promise.resolve(c.json(ownerError(c, missingScope(scope)), 403));
    });
  }
  for (const path of keyedPaths) {
    routes.use(path, async (c, next) => {
      if ((c.var as Partial<Authenticated['Variables']>).operation === undefined) return c.notFound();
      await next();
    });
  }
}

const missingScope = (scope: Scope) =>
  `The API key does not have the scope "${scope}". "keys create --scope ${scope}" on the command line creates one that does.`;
