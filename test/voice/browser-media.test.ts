import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chromium, firefox } from 'playwright';
import type { Browser } from 'playwright';
import type { MediaServer } from '../../src/service/voice/voice-module.ts';
import { encodeWav } from '../../src/service/voice/wav.ts';
import { findEngines } from '../support/browser/browsers.ts';
import type { Engine } from '../support/browser/browsers.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startMedia } from '../support/voice/media-call.ts';
import { tone } from '../support/voice/tone.ts';
import { openPage } from '../support/browser/open-page.ts';

/** Measurements of a page. */
interface Measured {
  events: unknown[];
  codec: string;
  /** How loud the received track was before the echo, from 0 to 1. */
  before: number;
}

/** Runs in the page: calls, turns an echo on and off, waits for its start and end, and hangs up. */
async function callFromPage(): Promise<Measured> {
  const connection = new RTCPeerConnection();
  const [microphone] = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks();
  if (!microphone) throw new Error('There is no microphone.');
  connection.addTrack(microphone);
  const channel = connection.createDataChannel('events');
  const events: unknown[] = [];
  channel.onmessage = ({ data }) => events.push(JSON.parse(String(data)));
  await connection.setLocalDescription();
  const response = await fetch('/offer', { method: 'POST', body: connection.localDescription?.sdp ?? '' });
  const { sdp } = (await response.json()) as { sdp: string };
  await connection.setRemoteDescription({ type: 'answer', sdp });
  const inbound = async () => {
    const all = [...(await connection.getStats()).values()] as Record<string, unknown>[];
    return all.find((stats) => stats['type'] === 'inbound-rtp' && stats['kind'] === 'audio');
  };
  // Energy is only counted while the track is played.
  const audio = new Audio();
  audio.srcObject = new MediaStream(connection.getReceivers().map(({ track }) => track));
  await audio.play();
  const until = async (condition: () => boolean | Promise<boolean>, what: string) => {
    const deadline = performance.now() + 15_000;
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`Waited 15 seconds until ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const level = async () => Number((await inbound())?.['audioLevel'] ?? 0);
  await until(() => channel.readyState === 'open', 'the data channel is open');
  await until(async () => Number((await inbound())?.['packetsReceived'] ?? 0) > 10, 'packets come');
  const before = await level();
  channel.send(JSON.stringify({ type: 'echo', on: true }));
  await until(async () => (await level()) > 0.02, 'the echo is heard');
  channel.send(JSON.stringify({ type: 'echo', on: false }));
  await until(async () => (await level()) < 0.002, 'the echo is over');
  const codecs = [...(await connection.getStats()).values()] as Record<string, unknown>[];
  const codec = String(codecs.find((stats) => stats['type'] === 'codec')?.['mimeType']);
  connection.close();
  return { events, codec, before };
}

/** Answers the offers of a page, and plays back the received audio while the page requests it. */
async function startEcho(media: MediaServer) {
  const closed = Promise.withResolvers<string>();
  const server = await startLoopbackServer(async ({ path, body }, response) => {
    if (path !== '/offer') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Call</title>');
      return undefined;
    }
    const answer = await media.answer(body);
    if ('refused' in answer) throw new Error(answer.reason);
    const { sdp, peer } = answer;
    let isOn = false;
    peer.onEvent = (event) => {
      isOn = event['on'] === true;
      if (!isOn) peer.flush();
      peer.send({ type: isOn ? 'on' : 'off' });
    };
    peer.open({
      onAudio: (samples) => {
        if (isOn) peer.play(samples);
      },
      onMark: () => undefined,
      onClosed: () => {
        closed.resolve('closed');
      },
    });
    return { sdp };
  });
  return { server, closed: closed.promise };
}

/** Starts a browser whose microphone plays a file or, in Firefox, a tone. */
function launch(engine: Exclude<Engine, { name: 'webkit' }>, microphone: string): Promise<Browser> {
  const { name, ...options } = engine;
  if (name === 'firefox') {
    return firefox.launch({
      ...options,
      firefoxUserPrefs: {
        'media.navigator.streams.fake': true,
        'media.navigator.permission.disabled': true,
        'media.autoplay.default': 0,
      },
    });
  }
  const flags = [
    'ui-for-media-stream',
    'device-for-media-stream',
    `file-for-fake-audio-capture=${microphone}`,
  ];
  return chromium.launch({
    ...options,
    args: [
      ...('args' in options ? options.args : []),
      ...flags.map((flag) => (flag.startsWith('file') ? `--use-${flag}` : `--use-fake-${flag}`)),
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}

for (const engine of findEngines()) {
  // Debian's WebKit is built without WebRTC.
  if (engine.name === 'webkit') continue;
  describe(`a call from ${engine.name}`, () => {
    it('sends and receives audio and events, and ends when the page is closed', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'microphone-'));
      const microphone = join(folder, 'tone.wav');
      await writeFile(microphone, encodeWav(tone(440, 5, 48_000), 48_000));
      const media = await startMedia({ listenAddress: undefined });
      const { server, closed } = await startEcho(media);
      const browser = await launch(engine, microphone);
      try {
        const page = await browser.newPage();
        await openPage(page, server.url);
        const measured = await page.evaluate<Measured>(`(${String(callFromPage)})()`);
        assert.deepEqual(measured.events, [{ type: 'on' }, { type: 'off' }]);
        assert.equal(measured.codec, 'audio/opus');
        assert.ok(measured.before < 0.002, `before: ${measured.before}`);
        assert.equal(await closed, 'closed');
      } finally {
        await browser.close();
        await server.close();
        await media.close();
        await rm(folder, { recursive: true });
      }
    });
  });
}
