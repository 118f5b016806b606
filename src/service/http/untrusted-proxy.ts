import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

const warning =
  'A request has the header X-Forwarded-For, but TRUST_PROXY is 0: behind a proxy, all visitors share one address and ' +
  'its rate limit. Set TRUST_PROXY to the number of proxies in front of the service.';

/** Detects a proxy that the settings do not mention, and logs a warning once. */
export class UntrustedProxy {
  #isDetected = false;

  /** For `/readyz`. */
  get warnings(): string[] {
    return this.#isDetected ? [warning] : [];
  }

  detect(trustedProxies: number, log: Logger): MiddlewareHandler {
    return (c, next) => {
      if (trustedProxies === 0 && !this.#isDetected && isForwarded(c)) {
        this.#isDetected = true;
        log.warn(warning);
      }
      return next();
    };
  }
}

/** A proxy is usually in the same network. Without a proxy, clients of the internet can send the header, too. */
function isForwarded(c: Context): boolean {
  if (c.req.header('X-Forwarded-For') === undefined) return false;
  const { address = '' } = getConnInfo(c).remote;
  return ipaddr.isValid(address) && ipaddr.process(address).range() !== 'unicast';
}
