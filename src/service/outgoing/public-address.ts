import ipaddr from 'ipaddr.js';

/** Public addresses that are a cloud's inside all the same: what Azure tells its virtual machines comes from there. */
const cloudInside = new Set(['168.63.129.16']);

/** The only IPv6 addresses that were ever given out (RFC 4291). */
const global = ipaddr.IPv6.parseCIDR('2000::/3');

/** Translates to IPv4 at the edge of a network that has IPv6 alone (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an address is one of the public internet: neither this machine nor its network, no metadata service of a
 * cloud (they are link-local or private), no multicast, nothing reserved. IPv6 addresses that stand for one of IPv4
 * are judged by that one; tunnels (6to4, Teredo) are refused.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = plainAddress(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6') return parsed.match(global);
  return !cloudInside.has(parsed.toString());
}

/** What an address is once nothing is wrapped around it; undefined for text that is none. */
export function plainAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // The library also reads `127.1` and `0x7f000001`, which no resolver answers.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4' || !parsed.match(translated)) return parsed;
  return new ipaddr.IPv4(parsed.toByteArray().slice(-4));
}
