/** The addresses that share the limits of a visitor. */
export interface VisitorAddresses {
  /** The address, or the /64 of an IPv6 address. */
  addressBlock: string;
  /** The /48 of an IPv6 address, with a higher limit; undefined for other addresses. */
  addressNetwork: string | undefined;
}

/** The limit of a network's addresses together, as a multiple of one visitor's limit. */
export const networkUsageFactor = 4;
