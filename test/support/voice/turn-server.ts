import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { startChildProcess } from '../process/child-process.ts';
import { freePort } from '../process/free-port.ts';
import { repository } from '../repository.ts';

export interface TurnServer {
  /** For `VOICE_TURN_URL`. */
  readonly url: string;
  /** For `VOICE_TURN_SECRET`. */
  readonly secret: string;
  stop(): Promise<void>;
}

export function hasTurnServer(): boolean {
  try {
    execFileSync('turnserver', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts coturn as the documentation configures it, but without TLS. Browsers reach it over TCP alone. */
export async function startTurnServer(): Promise<TurnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'turn-'));
  const port = await freePort();
  const secret = 'a long random text';
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family }) => family === 'IPv4')
    .sort((first, second) => Number(first.internal) - Number(second.internal))
    .map(({ address }) => address);
  const lines = [
    `listening-port=${port}`,
    'listening-ip=127.0.0.1',
    // The service's media is at the machine's address, if it has one.
    `relay-ip=${addresses[0] ?? '127.0.0.1'}`,
    'no-udp',
    'no-tls',
    'no-dtls',
    'no-cli',
    'realm=assistants.example',
    'use-auth-secret',
    `static-auth-secret=${secret}`,
    ...(await documentedRestrictions()),
    ...addresses.map((address) => `allowed-peer-ip=${address}`),
    'allow-loopback-peers',
    `userdb=${join(folder, 'turndb')}`,
    `pidfile=${join(folder, 'turnserver.pid')}`,
    'log-file=stdout',
  ];
  const file = join(folder, 'turnserver.conf');
  await writeFile(file, lines.join('\n'));
  const server = startChildProcess('turnserver', ['-c', file]);
  await eventually('the TURN server to listen', () => accepts(port));
  return {
    url: `turn:127.0.0.1:${port}?transport=tcp`,
    secret,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The lines of the documented `turnserver.conf` that deny peers and kinds of relays. */
async function documentedRestrictions(): Promise<string[]> {
  const page = await readFile(join(repository, 'docs/live-voice-network.md'), 'utf8');
  return page.match(/^(denied-peer-ip=|no-).*$/gm) ?? [];
}

/** Returns true, or undefined if nothing listens at the port. */
function accepts(port: number): Promise<true | undefined> {
  const { promise, resolve } = Promise.withResolvers<true | undefined>();
  const socket = connect(port, '127.0.0.1', () => {
    socket.destroy();
    resolve(true);
  });
  socket.on('error', () => {
    resolve(undefined);
  });
  return promise;
}
