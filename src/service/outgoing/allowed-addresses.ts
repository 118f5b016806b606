import ipaddr from 'ipaddr.js';
import { isPublicAddress, plainAddress } from './public-address.ts';

/**
 * Where requests may go: to every public address, and to those of the operator's own network that the settings name.
 */
export class AllowedAddresses {
  readonly #ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  readonly #hosts = new Set<string>();

  /**
   * @param exceptions `host:port` (`127.0.0.1:9000`, `[::1]:9000`, `intranet:80`), a range (`10.1.0.0/16`) or an address.
   * @throws RangeError naming the one that is none of these.
   */
  constructor(exceptions: readonly string[]) {
    for (const exception of exceptions) {
      if (ipaddr.isValidCIDR(exception)) this.#ranges.push(ipaddr.parseCIDR(exception));
      else if (ipaddr.IPv4.isValidFourPartDecimal(exception))
        this.#ranges.push([ipaddr.parse(exception), 32]);
      else if (ipaddr.IPv6.isValid(exception)) this.#ranges.push([ipaddr.parse(exception), 128]);
      else if (/^([\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(exception))
        this.#hosts.add(exception.toLowerCase());
      else throw new RangeError(exception);
    }
  }

  /** Whether a connection for that host and port may be made to that address. */
  permits(host: string, port: number, address: string): boolean {
    if (isPublicAddress(address)) return true;
    if (this.#hosts.has(`${host.includes(':') ? `[${host}]` : host.toLowerCase()}:${port}`)) return true;
    const parsed = plainAddress(address);
    return (
      parsed !== undefined &&
      this.#ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
    );
  }
}
