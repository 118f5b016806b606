import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { installDebian } from '../deployment/install-debian.ts';
import { repository } from '../repository.ts';
import { eventually } from '../eventually.ts';

/** Phones by their numbers. A provider would reach both over one trunk. */
export const phones = { customer: '+15550001111', colleague: '+15550002222' };
/** Dials a phone of the tests. */
export const endpoint = 'PJSIP/{number}@phone-{number}';
/** Ports of the tests, all on the loopback interface. */
export const ports = { http: 18_088, sip: 15_060, customer: 15_070, colleague: 15_170 };
export const credentials = { user: 'voice-assistant-chat', password: 'only-for-tests' };

/**
 * Starts Asterisk with the documented configuration. It is installed from Debian's newer release into a folder.
 *
 * @throws Error if this is not root, or a program is missing
 */
export async function startAsterisk(cacheFolder: string) {
  const missing = ['mmdebstrap', 'baresip'].filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0) throw new Error(`Install the Debian packages ${missing.join(' and ')} first.`);
  if (process.getuid?.() !== 0) throw new Error('Run this suite as root: it starts Asterisk in a chroot.');
  const root = join(cacheFolder, 'asterisk');
  await installDebian(root, 'sid', ['asterisk', 'asterisk-modules']);
  configure(root);
  const child = spawn('chroot', [root, '/usr/sbin/asterisk', '-f', '-n'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  await eventually('Asterisk to start', () => {
    if (child.exitCode !== null) throw new Error(`Asterisk has ended:\n${output}`);
    return output.includes('Asterisk Ready');
  });
  return {
    url: `http://127.0.0.1:${String(ports.http)}`,
    output: () => output,
    /** Whether two phones are connected with each other. */
    async isConnected(): Promise<boolean> {
      const bridges = (await request('bridges')) as { channels: string[] }[];
      return bridges.some(({ channels }) => channels.length === 2);
    },
    /** Whether no call is active. */
    async isIdle(): Promise<boolean> {
      return ((await request('channels')) as unknown[]).length === 0;
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
    },
  };
}

async function request(path: string): Promise<unknown> {
  const authorization = `Basic ${btoa(`${credentials.user}:${credentials.password}`)}`;
  const response = await fetch(`http://127.0.0.1:${String(ports.http)}/ari/${path}`, {
    headers: { authorization },
  });
  return response.json();
}

/** Writes the documented files, with the addresses of the tests. */
function configure(root: string): void {
  const read = (name: string) => readFileSync(join(repository, 'docs/asterisk', name), 'utf8');
  const write = (name: string, text: string) => {
    writeFileSync(join(root, 'etc/asterisk', name), text);
  };
  write('http.conf', read('http.conf').replace(/^bindport = .*$/m, `bindport = ${String(ports.http)}`));
  write('ari.conf', read('ari.conf').replace(/^password = .*$/m, `password = ${credentials.password}`));
  write(
    'pjsip.conf',
    read('pjsip.conf')
      .replace(/^bind = .*$/m, `bind = 127.0.0.1:${String(ports.sip)}`)
      .replace(/^contact = .*$/m, `contact = sip:127.0.0.1:${String(ports.customer)}`)
      .replace(/^match = .*$/m, 'match = 127.0.0.1')
      .replace(/^outbound_auth = .*\n/m, '')
      .concat(phoneSection(phones.customer, ports.customer), phoneSection(phones.colleague, ports.colleague)),
  );
  write('extensions.conf', read('extensions.conf'));
  write('rtp.conf', '[general]\nrtpstart = 21000\nrtpend = 21100\n');
  write('manager.conf', '[general]\nenabled = no\n');
  write('iax.conf', '');
  mkdirSync(join(root, 'var/spool/asterisk/recording'), { recursive: true });
}

const phoneSection = (number: string, port: number) => `
[phone-${number}]
type = endpoint
transport = udp
disallow = all
allow = alaw
aors = phone-${number}
direct_media = no

[phone-${number}]
type = aor
contact = sip:127.0.0.1:${String(port)}
`;
