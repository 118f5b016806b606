import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeWav } from '../../../src/service/voice/wav.ts';
import { eventually } from '../eventually.ts';

/** Sample rate on the line (G.711). */
export const phoneRate = 8000;

/** A SIP phone: the client baresip, with files in place of microphone and loudspeaker. */
export class Phone {
  readonly #folder: string;
  readonly #port: number;
  readonly #process: ChildProcess;
  readonly #control: Socket;
  readonly #events: { type: string; param: string }[] = [];
  #output = '';
  #sounds = 0;

  /**
   * @param port SIP port; the five ports above are used, too.
   * @param answers whether it answers calls, or lets them ring.
   */
  static async start(options: { folder: string; number: string; port: number; answers: boolean }) {
    const { folder, number, port, answers } = options;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'heard'), { recursive: true });
    const silence = join(folder, 'silence.wav');
    writeFileSync(silence, encodeWav(new Int16Array(phoneRate * 300), phoneRate));
    writeFileSync(
      join(folder, 'config'),
      `sip_listen 127.0.0.1:${String(port)}
audio_player aubridge,${number}
audio_source aufile,${silence}
audio_alert aubridge,alert
rtp_ports ${String(port + 1000)}-${String(port + 1020)}
module_path /usr/lib/baresip/modules
module g711.so
module sndfile.so
module aubridge.so
module aufile.so
module_tmp uuid.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
module_app cons.so
cons_listen 127.0.0.1:${String(port + 5)}
ctrl_tcp_listen 127.0.0.1:${String(port + 4)}
snd_path ${join(folder, 'heard')}
`,
    );
    writeFileSync(
      join(folder, 'accounts'),
      `<sip:${number}@127.0.0.1:${String(port)}>;regint=0;answermode=${answers ? 'auto' : 'manual'};audio_codecs=pcma\n`,
    );
    // Without stdbuf, the last lines of its output would stay in a buffer.
    const child = spawn('stdbuf', ['-o0', 'baresip', '-f', folder], { stdio: ['pipe', 'pipe', 'pipe'] });
    const control = await eventually('baresip to start', () => tryConnect(port + 4));
    return new Phone(folder, port, child, control);
  }

  private constructor(folder: string, port: number, child: ChildProcess, control: Socket) {
    this.#folder = folder;
    this.#port = port;
    this.#process = child;
    this.#control = control;
    const read = (data: Buffer) => (this.#output += data.toString());
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    let rest = '';
    control.on('data', (data) => {
      rest += data.toString();
      for (;;) {
        const match = /^(\d+):/.exec(rest);
        const length = Number(match?.[1]);
        const start = match?.[0].length ?? 0;
        if (!match || rest.length < start + length + 1) return;
        const message = JSON.parse(rest.slice(start, start + length)) as Record<string, string>;
        if (message['event'])
          this.#events.push({ type: message['type'] ?? '', param: message['param'] ?? '' });
        rest = rest.slice(start + length + 1);
      }
    });
  }

  /** Keys that were received. */
  get keys(): string {
    return Array.from(this.#output.matchAll(/received event: '(.)' \(end=0\)/g), ([, key]) => key).join('');
  }

  /** The number of events of a type, such as `CALL_ESTABLISHED`. */
  count(type: string): number {
    return this.#events.filter((event) => event.type === type).length;
  }

  dial(number: string, port: number): void {
    this.#command('dial', `sip:${number}@127.0.0.1:${String(port)}`);
  }

  accept(): void {
    this.#command('accept');
  }

  hangUp(): void {
    this.#command('hangup');
  }

  async press(key: string): Promise<void> {
    // Only the console takes keys. The second character releases the key.
    const socket = createSocket('udp4');
    socket.send(key, this.#port + 5, '127.0.0.1');
    await pause(150);
    socket.send('\u0004', this.#port + 5, '127.0.0.1', () => {
      socket.close();
    });
  }

  /** Speaks during a call. */
  speak(samples: Int16Array): void {
    const file = join(this.#folder, `sound-${String(this.#sounds++)}.wav`);
    const padded = new Int16Array(samples.length + phoneRate * 120);
    padded.set(samples);
    writeFileSync(file, encodeWav(padded, phoneRate));
    this.#command('ausrc', `aufile,${file}`);
  }

  /** The received audio of the calls so far, in order, as WAV files. They are complete after the end of a call. */
  heard(): Buffer[] {
    const folder = join(this.#folder, 'heard');
    const names = readdirSync(folder).filter((name) => name.endsWith('-dec.wav'));
    return names.sort().map((name) => readFileSync(join(folder, name)));
  }

  async stop(): Promise<void> {
    this.#control.destroy();
    if (this.#process.exitCode !== null) return;
    this.#process.kill();
    await new Promise((resolve) => this.#process.once('exit', resolve));
  }

  #command(command: string, params = ''): void {
    const message = JSON.stringify({ command, params, token: command });
    this.#control.write(`${String(message.length)}:${message},`);
  }
}

function tryConnect(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      resolve(socket);
    });
    socket.once('error', () => {
      resolve(undefined);
    });
  });
}
