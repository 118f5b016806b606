import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { OpenAiSynthesizer } from '../../src/service/voice/openai-synthesizer.ts';
import { wavHeaderLength } from '../../src/service/voice/wav-header.ts';
import { encodeWav } from '../../src/service/voice/wav.ts';

const rate = 16_000;
const never = new AbortController().signal;
let latest: ServerResponse | undefined;
/** Sends the first of two seconds of audio, then nothing. */
const server = createServer((request, response) => {
  request.resume();
  latest = response;
  response.writeHead(200, { 'Content-Type': 'audio/wav' });
  response.write(encodeWav(new Int16Array(2 * rate), rate).subarray(0, wavHeaderLength + 2 * rate));
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function speak(stallMs: number): AsyncGenerator<Int16Array> {
  const { port } = server.address() as AddressInfo;
  const endpoint = { baseUrl: `http://127.0.0.1:${String(port)}/v1`, apiKey: undefined, model: 'any' };
  const synthesizer = new OpenAiSynthesizer({ ...endpoint, voice: 'any' }, { stallMs });
  return synthesizer.speak('Hello.', { language: 'en', voice: undefined, speed: 1 }, rate, never);
}

async function countSamples(parts: AsyncIterable<Int16Array>): Promise<number> {
  let count = 0;
  for await (const samples of parts) count += samples.length;
  return count;
}

it('fails if its endpoint stops sending audio', async () => {
  await assert.rejects(countSamples(speak(300)), /stopped sending audio/);
});

it('does not fail if its caller uses the audio for longer than the endpoint may take', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const parts = speak(300);
  const first = (await parts.next()).value as Int16Array;
  mock.timers.tick(1000);
  latest?.end(Buffer.alloc(2 * rate));
  assert.equal(first.length + (await countSamples(parts)), 2 * rate);
});
