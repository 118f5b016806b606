import ipaddr from 'ipaddr.js';

/** Public addresses that clouds use internally: Azure's virtual machines get their metadata from this one. */
const cloudInternal = new Set(['168.63.129.16']);

/** The only IPv6 range that is allocated for global unicast (RFC 4291). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** The NAT64 prefix, which is translated to IPv4 (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an address is on the public internet: not private, loopback, link-local (as are the metadata services of
 * clouds), multicast or reserved. IPv6 addresses that embed an IPv4 address are judged by that; tunnels (6to4, Teredo)
 * are refused.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = normalizeAddress(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6') return parsed.match(globalUnicast);
  return !cloudInternal.has(parsed.toString());
}

/** Parses an address and unwraps an embedded IPv4 address; undefined for text that is not an address. */
export function normalizeAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // The library also accepts `127.1` and `0x7f000001`, which no resolver returns.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4' || !parsed.match(nat64)) return parsed;
  return new ipaddr.IPv4(parsed.toByteArray().slice(-4));
}
