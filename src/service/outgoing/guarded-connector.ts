import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { OutgoingError } from './outgoing-error.ts';

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Longest time for a connection, in milliseconds; how long a request may take as a whole is its own affair. */
const connectMs = 10_000;

/**
 * Makes connections to permitted addresses only. A name is resolved here and nowhere else: the addresses that were
 * looked at are the ones that are connected to, so an answer of the DNS that changes changes nothing.
 */
export function guardedConnector(
  allowed: AllowedAddresses,
  lookup: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' }),
): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    // An address is connected to without a look-up.
    if (isIP(host) !== 0 && !allowed.permits(host, port, host)) {
      callback(refused(), null);
      return;
    }
    const connect = buildConnector({
      allowH2: false,
      timeout: connectMs,
      lookup: (hostname: string, wanted: LookupOptions, answer: LookupAnswer) => {
        findPermitted(hostname, port, wanted, allowed, lookup).then(
          (found) => {
            if (wanted.all === true) answer(null, found);
            else answer(null, found[0]?.address ?? '', found[0]?.family);
          },
          (error: unknown) => {
            answer(error as NodeJS.ErrnoException, []);
          },
        );
      },
    });
    connect({ ...options, hostname: host }, callback);
  };
}

type LookupAnswer = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

async function findPermitted(
  hostname: string,
  port: number,
  { family }: LookupOptions,
  allowed: AllowedAddresses,
  lookup: Lookup,
): Promise<LookupAddress[]> {
  const found = await lookup(hostname);
  const permitted = found.filter(({ address }) => allowed.permits(hostname, port, address));
  if (permitted.length === 0) {
    throw found.length === 0 ? new OutgoingError('unreachable', 'the host has no address') : refused();
  }
  const fitting = permitted.filter((one) => one.family === family);
  return fitting.length > 0 ? fitting : permitted;
}

const refused = () =>
  new OutgoingError('refused-address', 'the address belongs to a private network, where requests do not go');
