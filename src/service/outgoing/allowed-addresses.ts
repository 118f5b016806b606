import { isInRanges, parseAddressRange } from '../lib/address-range.ts';
import type { AddressRange } from '../lib/address-range.ts';
import { isPublicAddress, normalizeAddress } from './public-address.ts';

/**
 * The addresses that outgoing requests may reach: all public ones, and the private ones that the settings allow.
 * `guardedConnector` enforces this for each connection, also after a redirect.
 */
export class AllowedAddresses {
  readonly #ranges: AddressRange[] = [];
  readonly #hosts = new Set<string>();

  /**
   * @param exceptions `host:port` (`127.0.0.1:9000`, `[::1]:9000`, `intranet:80`), a range (`10.1.0.0/16`) or an
   * address.
   * @throws RangeError with the first entry that has another format.
   */
  constructor(exceptions: readonly string[]) {
    for (const exception of exceptions) {
      const range = parseAddressRange(exception);
      if (range) this.#ranges.push(range);
      else if (/^([\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(exception))
        this.#hosts.add(exception.toLowerCase());
      else throw new RangeError(exception);
    }
  }

  /** Whether a request to this host and port may connect to this address. */
  permits(host: string, port: number, address: string): boolean {
    if (isPublicAddress(address)) return true;
    if (this.#hosts.has(`${host.includes(':') ? `[${host}]` : host.toLowerCase()}:${port}`)) return true;
    const parsed = normalizeAddress(address);
    return parsed !== undefined && isInRanges(parsed.toString(), this.#ranges);
  }
}
