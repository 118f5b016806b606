import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { OutgoingError } from './outgoing-error.ts';

/** Resolves a host name to all its addresses. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Longest time to connect, in milliseconds; requests have a limit of their own. */
const connectTimeoutMs = 10_000;

/**
 * Connects to permitted addresses only. Names are resolved here, and the checked addresses are the ones connected to,
 * so a DNS response that changes (DNS rebinding) has no effect.
 */
export function guardedConnector(
  allowed: AllowedAddresses,
  lookup: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' }),
): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    // IP addresses are not looked up.
    if (isIP(host) !== 0 && !allowed.permits(host, port, host)) {
      callback(refused(), null);
      return;
    }
    const connect = buildConnector({
      allowH2: false,
      timeout: connectTimeoutMs,
      lookup: (hostname: string, lookupOptions: LookupOptions, answer: LookupAnswer) => {
        findPermitted(hostname, port, lookupOptions, allowed, lookup).then(
          (found) => {
            if (lookupOptions.all === true) answer(null, found);
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
  const sameFamily = permitted.filter((one) => one.family === family);
  return sameFamily.length > 0 ? sameFamily : permitted;
}

const refused = () =>
  new OutgoingError(
    'refused-address',
    'the address belongs to a private network (ALLOW_PRIVATE_ADDRESSES does not list it)',
  );
