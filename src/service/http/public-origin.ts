import type { Context, MiddlewareHandler } from 'hono';

/** The context of a route behind `withPublicUrl`. */
interface PublicUrlEnv {
  Variables: { publicUrl: string | undefined };
}

/** Passes the configured public URL of the service, without a trailing slash, to routes. */
export function withPublicUrl(publicUrl: string | undefined): MiddlewareHandler<PublicUrlEnv> {
  return async (c, next) => {
    c.set('publicUrl', publicUrl);
    await next();
  };
}

/**
 * Returns the public origin of the service: the configured one, or that of the request with the scheme of the proxy
 * that terminates TLS. A forged scheme only affects the client that sent it.
 */
export function publicOrigin(c: Context, requestUrl: URL): string {
  const { publicUrl } = c.var as Partial<PublicUrlEnv['Variables']>;
  if (publicUrl !== undefined) return publicUrl;
  const scheme = c.req.header('X-Forwarded-Proto')?.split(',')[0]?.trim();
  return scheme === 'https' ? `https://${requestUrl.host}` : requestUrl.origin;
}
