import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

/** Returns the address of a request's client behind trusted proxies. */
export function requestClient(c: Context, trustedProxies: number): string {
  const socket = getConnInfo(c).remote.address;
  return clientAddress(socket, c.req.header('X-Forwarded-For'), trustedProxies);
}

/**
 * Returns the client's address. `X-Forwarded-For` is used only behind known proxies: each appends the address that it
 * saw, so the entry of the outermost trusted proxy is that many from the end. Earlier entries may be forged.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const seen = (forwardedFor ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const entry = trustedProxies > 0 ? (seen.at(-trustedProxies) ?? seen[0]) : undefined;
  const forwarded = entry === undefined ? undefined : withoutPort(entry);
  const candidate = forwarded !== undefined && ipaddr.isValid(forwarded) ? forwarded : socketAddress;
  return candidate ?? 'unknown';
}

/** Some proxies append the client's port: `203.0.113.7:4711`, `[2001:db8::1]:443`. */
function withoutPort(entry: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^[\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return ipv6 ?? ipv4 ?? entry;
}

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

/** Returns the {@link addressBlock} of a request's client behind trusted proxies. */
export function requestAddress(c: Context, trustedProxies: number): string {
  return addressBlock(requestClient(c, trustedProxies));
}

/** Returns the {@link addressNetwork} of a request's client behind trusted proxies. */
export function requestNetwork(c: Context, trustedProxies: number): string | undefined {
  return addressNetwork(requestClient(c, trustedProxies));
}

/**
 * Returns the unit of a rate limit. A household or server has a /64 of IPv6 addresses, so those share a count. An IPv4
 * address mapped to IPv6 counts as IPv4.
 */
export function addressBlock(address: string): string {
  const parsed = parse(address);
  return parsed?.kind() === 'ipv6' ? ipv6Network(parsed, 64) : (parsed?.toString() ?? address);
}

/** Returns the /48 of an IPv6 address, which a provider gives to one customer; undefined for other addresses. */
export function addressNetwork(address: string): string | undefined {
  const parsed = parse(address);
  return parsed?.kind() === 'ipv6' ? ipv6Network(parsed, 48) : undefined;
}

type Address = ReturnType<typeof ipaddr.process>;

const parse = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address) : undefined);

function ipv6Network(address: Address, bits: number): string {
  const withoutZone = address.toString().split('%')[0] ?? '';
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone}/${bits}`).toString()}/${bits}`;
}
