import { networkInterfaces } from 'node:os';

/** Maximum number of this machine's addresses in an answer. */
const maxAddresses = 6;

/** Returns the IPv4 addresses of this machine; loopback only if there is no other. */
export function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, maxAddresses);
  return found.length > 0 ? found : ['127.0.0.1'];
}

/** Replaces an answer's candidates with the given addresses at one port, the preferred address first. */
export function writeAnswer(sdp: string, addresses: readonly string[], port: number): string {
  const candidates = addresses.map((address, index) => {
    // RFC 8445: type preference 126 for host candidates, then their local preference.
    const priority = 126 * 2 ** 24 + (65_535 - index) * 2 ** 8 + 255;
    return `a=candidate:${index + 1} 1 udp ${priority} ${address} ${port} typ host`;
  });
  const lines = sdp
    .split('\r\n')
    .filter((line) => !/^a=(candidate:|end-of-candidates$|ice-lite$)/.test(line));
  const firstMedia = lines.findIndex((line) => line.startsWith('m='));
  const password = lines.findIndex((line, index) => index > firstMedia && line.startsWith('a=ice-pwd:'));
  return [
    ...lines.slice(0, firstMedia),
    // Browsers look for this line only here.
    'a=ice-lite',
    ...lines.slice(firstMedia, password + 1),
    ...candidates,
    'a=end-of-candidates',
    ...lines.slice(password + 1),
  ].join('\r\n');
}
