import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { OpenAiSynthesizer } from '../../src/service/voice/openai-synthesizer.ts';
import { encodeWav } from '../../src/service/voice/wav.ts';

const rate = 16_000;
const never = new AbortController().signal;
/** Sends the beginning of the audio, then nothing. */
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'audio/wav' });
  response.write(encodeWav(new Int16Array(rate), rate));
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.closeAllConnections();
  server.close();
});

it('fails if its endpoint stops sending audio', async () => {
  const { port } = server.address() as AddressInfo;
  const endpoint = { baseUrl: `http://127.0.0.1:${String(port)}/v1`, apiKey: undefined, model: 'any' };
  const synthesizer = new OpenAiSynthesizer({ ...endpoint, voice: 'any' }, { stallMs: 300 });
  let received = 0;
  const speak = async () => {
    const settings = { language: 'en', voice: undefined, speed: 1 };
    for await (const samples of synthesizer.speak('Hello.', settings, rate, never))
      received += samples.length;
  };
  await assert.rejects(speak(), /stopped sending audio/);
  assert.equal(received, rate);
});
