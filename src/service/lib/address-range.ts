import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses: an address, and the number of leading bits that are compared. */
export type AddressRange = readonly [Address, bits: number];

/** Reads a range in CIDR notation (`10.1.0.0/16`, `2001:db8::/32`) or a single address; undefined for other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
  if (!isIpv4 && !ipaddr.IPv6.isValid(text) && !ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${isIpv4 ? 32 : 128}`);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/** Whether an address is in one of the ranges. IPv4 addresses that are mapped to IPv6 count as IPv4. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
}
