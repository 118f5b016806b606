import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';

/** Returns the {@link addressBlock} of a request's client behind trusted proxies. */
export function requestAddress(c: Context, trustedProxies: number): string {
  const socket = getConnInfo(c).remote.address;
  return addressBlock(clientAddress(socket, c.req.header('X-Forwarded-For'), trustedProxies));
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
  const forwarded = trustedProxies > 0 ? (seen.at(-trustedProxies) ?? seen[0]) : undefined;
  const candidate = forwarded !== undefined && ipaddr.isValid(forwarded) ? forwarded : socketAddress;
  return candidate ?? 'unknown';
}

/**
 * Returns the unit of a rate limit. A household or server has a /64 of IPv6 addresses, so those share a count. An IPv4
 * address mapped to IPv6 counts as IPv4.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString().split('%')[0] ?? ''}/64`).toString()}/64`;
}
