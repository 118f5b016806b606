import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { pino } from 'pino';
import { readConfig } from '../../../src/service/config.ts';
import { assistants } from '../../../src/service/db/schema.ts';
import { createLog } from '../../../src/service/log.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { encodeWav } from '../../../src/service/voice/wav.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';
import { startPostgres } from '../../support/service/postgres.ts';
import { seedOwners } from '../service/seed-owners.ts';
import { BrowserPeer, createStereoOpus } from '../../support/voice/browser-peer.ts';
import { framesOf, join } from '../../support/voice/tone.ts';

/*
 * `npm run bench:web-calls`: how many web calls one process runs at once, and the memory and processor time of each. A
 * fake endpoint speaks and transcribes at once, so only the service's own work is measured: WebRTC, Opus,
 * detection of speech, turns, replies of the offline engine. The visitors run in this process, on the other core.
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '10,20,40,60' } } });
const steps = values.calls.split(',').map(Number);
const measuredSeconds = 24;
/** Seconds of a turn: a visitor asks, and then listens until its end. */
const turnSeconds = 8;
const rate = 48_000;

interface Usage {
  megabytes: number;
  seconds: number;
}

const { question, silence, answer } = await makeSound();
const postgres = await startPostgres();
const endpoint = await startEndpoint(answer);
const env = {
  ...{ DATABASE_URL: postgres.url('postgres'), PORT: '0', RATE_LIMIT: '0', LOG_LEVEL: 'error' },
  ...{ SPEECH_BASE_URL: endpoint.url, SPEECH_API_KEY: 'none', MAX_CALLS_IN_PARALLEL: '0' },
  ...{ VOICE_CALLS_PER_ASSISTANT: '10000', VOICE_VISITOR_MINUTES_PER_DAY: '0' },
  ...{ VOICE_OWNER_MINUTES_PER_DAY: '0' },
};
const database = await openDatabase(readConfig(env), createLog('error'));
await seedOwners(database, 1);
const [assistant] = await database.db
  .update(assistants)
  .set({ webCalls: true, initialMessage: '' })
  .returning({ uuid: assistants.uuid });
const child = fork(new URL('web-call-service.ts', import.meta.url), {
  env: { ...process.env, ...env },
  execArgv: ['--expose-gc'],
});
const [{ url }] = (await once(child, 'message')) as [{ url: string }];
const visitors: Visitor[] = [];
const empty = await measure();
try {
  for (const count of steps) {
    while (visitors.length < count) visitors.push(await call(visitors.length));
    await talk(turnSeconds);
    for (const visitor of visitors) Object.assign(visitor, { delays: [], waits: [] });
    const before = await measure();
    await talk(measuredSeconds);
    const after = await measure();
    const answered = visitors.filter(({ waits }) => waits.length >= measuredSeconds / turnSeconds);
    const delays = visitors.flatMap((each) => each.delays);
    const waits = visitors.flatMap((each) => each.waits);
    const perCall = (after.megabytes - empty.megabytes) / count;
    const load = (after.seconds - before.seconds) / measuredSeconds / count;
    console.log(
      `${String(count)} calls at once: ${String(answered.length)} with every answer; ${perCall.toFixed(1)} MB and ` +
        `${(load * 100).toFixed(1)} % of a core each; audio late by ${at(delays, 0.99)} (99th ` +
        `percentile); end of speech to first sound: median ${at(waits, 0.5)}, 95th percentile ${at(waits, 0.95)}`,
    );
  }
} finally {
  child.kill();
  for (const { browser } of visitors) await browser.close();
  await database.close();
  await endpoint.close();
  await postgres.stop();
}
process.exit();

interface Visitor {
  browser: BrowserPeer;
  /** Milliseconds by which each packet of an answer was late, relative to the one before it. */
  delays: number[];
  /** The time when the visitor stopped speaking, and the milliseconds from there to the start of the answer. */
  stoppedAt: number;
  waits: number[];
  /** The visitor's offset within a turn, so that not all visitors speak at once. */
  offset: number;
}

async function call(index: number): Promise<Visitor> {
  const headers = { 'Content-Type': 'application/json' };
  const post = async (path: string, body: unknown) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Record<string, string>;
  };
  const { conversation_id: id } = await post('/api/conversations', { assistant_id: assistant?.uuid });
  const browser = await BrowserPeer.create({ isListening: false });
  const { sdp } = await post(`/api/conversations/${String(id)}/voice`, { sdp: await browser.offer() });
  await browser.accept(String(sdp));
  const offset = (index * 7) % (turnSeconds * 50);
  const visitor: Visitor = { browser, delays: [], waits: [], stoppedAt: NaN, offset };
  const { received } = browser;
  let last: { timestamp: number; receivedAt: number } | undefined;
  received.push = (packet) => {
    if (last) {
      const sound = ((packet.timestamp - last.timestamp) >>> 0) / 48;
      visitor.delays.push(packet.receivedAt - last.receivedAt - sound);
    }
    last = packet;
    return 0;
  };
  browser.events.push = (event) => {
    if ((event as { type: string }).type === 'output_audio_buffer.started')
      visitor.waits.push(performance.now() - visitor.stoppedAt);
    return 0;
  };
  return visitor;
}

/** Sends the audio of every visitor, in real time. */
async function talk(seconds: number): Promise<void> {
  const start = performance.now();
  for (let tick = 0; tick < seconds * 50; tick++) {
    for (const visitor of visitors) {
      const at = (tick + visitor.offset) % (turnSeconds * 50);
      visitor.browser.sendPacket(visitor.browser.packet(question[at] ?? silence));
      if (at === question.length - 1) visitor.stoppedAt = performance.now();
    }
    await pause(Math.max(0, start + tick * 20 - performance.now()));
  }
}

/** The value below which a share of the values are. */
function at(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN).toFixed(0)} ms`;
}

async function measure(): Promise<Usage> {
  child.send('measure');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

/** Makes a visitor's question, in packets, and the endpoint's answer, as a WAV file. */
async function makeSound() {
  const { synthesizer: offline, close } = await createOfflineSpeech({}, pino({ level: 'error' }));
  if (!offline) throw new Error('The package for voice calls is not installed.');
  const speak = async (text: string, rate: number) => {
    const parts: Int16Array[] = [];
    const settings = { language: 'en', voice: undefined, speed: 1 };
    for await (const part of offline.speak(text, settings, rate, new AbortController().signal))
      parts.push(part);
    return join(parts);
  };
  const spoken = await speak('When do you open on Saturday?', rate);
  const answer = encodeWav(await speak('We are open until six.', 16_000), 16_000);
  close();
  const codec = await createStereoOpus();
  // Without the silence at the end, so that the end of the speech is known.
  const speech = spoken.subarray(0, spoken.findLastIndex((sample) => Math.abs(sample) > 300) + 1);
  const question = framesOf(speech, rate / 50).map((frame) => codec.encode(frame));
  const silence = codec.encode(new Int16Array(rate / 50));
  codec.close();
  return { question, silence, answer };
}

/** An endpoint of `/v1/audio` that answers at once, always the same. */
async function startEndpoint(sound: Uint8Array<ArrayBuffer>) {
  const app = new Hono();
  app.post('/v1/audio/speech', (c) => c.body(sound, 200, { 'Content-Type': 'audio/wav' }));
  app.post('/v1/audio/transcriptions', (c) => c.json({ text: 'When do you open on Saturday?' }));
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
