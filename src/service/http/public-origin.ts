import type { Context, MiddlewareHandler } from 'hono';

/** What a route behind `atPublicUrl` finds in its context. */
interface Located {
  Variables: { publicUrl: string | undefined };
}

/** Tells routes where clients find the service, if the settings say so: without a slash at its end. */
export function atPublicUrl(publicUrl: string | undefined): MiddlewareHandler<Located> {
  return async (c, next) => {
    c.set('publicUrl', publicUrl);
    await next();
  };
}

/**
 * Where clients find the service. Unless the settings say so, the proxy that ends TLS does; a link that is wrong harms
 * only its asker.
 */
export function publicOrigin(c: Context, here: URL): string {
  const { publicUrl } = c.var as Partial<Located['Variables']>;
  if (publicUrl !== undefined) return publicUrl;
  const scheme = c.req.header('X-Forwarded-Proto')?.split(',')[0]?.trim();
  return scheme === 'https' ? `https://${here.host}` : here.origin;
}
