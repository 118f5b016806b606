import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { isIPv4, isIPv6 } from 'node:net';

/** The {@link addressBlock} that a request comes from, behind as many trusted proxies. */
export function requestAddress(c: Context, trustedProxies: number): string {
  const socket = getConnInfo(c).remote.address;
  return addressBlock(clientAddress(socket, c.req.header('X-Forwarded-For'), trustedProxies));
}

/**
 * The address that a request comes from. `X-Forwarded-For` counts only behind known proxies: each appends the address
 * that it saw, so the entry that the outermost trusted one wrote is that many from the end, and whatever stands before
 * it may be invented.
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
  const candidate =
    forwarded !== undefined && (isIPv4(forwarded) || isIPv6(forwarded)) ? forwarded : socketAddress;
  return candidate ?? 'unknown';
}

/**
 * What a rate limit counts by. One household or server has a whole /64 of IPv6 addresses to choose from, so those
 * share a count; an IPv4 address in IPv6 clothes is the same as without.
 */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailGroups.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...tailGroups];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
