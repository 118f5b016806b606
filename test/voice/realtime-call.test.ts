import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { WebRtcServer } from '../../src/voice/media/web-rtc-server.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';
import { linesOf } from '../support/service/service-client.ts';
import { until } from '../support/until.ts';
import { BrowserPeer } from '../support/voice/browser-peer.ts';
import { sendSound } from '../support/voice/send-sound.ts';
import { loudness, tone } from '../support/voice/tone.ts';

test('a visitor with WebRTC talks with a realtime model', async () => {
  const endpoint = await RealtimeEndpoint.open();
  atEnd(() => endpoint.close());
  const media = new WebRtcServer({ listenAddress: '127.0.0.1' }, pino({ level: 'silent' }));
  const voice = {
    ...{ media, synthesizer: undefined, transcriber: undefined, problems: [] },
    close: () => media.close(),
  };
  const server = { baseUrl: endpoint.baseUrl, apiKeyEnv: 'REALTIME_KEY', realtimeModel: 'kind-1' };
  const models = JSON.stringify([{ code: 'kind', type: 'multimodal', ...server }]);
  const service = await startService({ REALTIME_KEY: endpoint.key, MODELS: models }, { voice });
  const assistant = await createAssistant(service, {
    balance: '1',
    initialMessage: 'Welcome to the shop.',
    limits: { webCalls: true, mode: 'multimodal' },
  });
  await service.running.database.pool.query(
    'UPDATE assistants SET multimodal_model_id = (SELECT id FROM models WHERE code = $1) WHERE uuid = $2',
    ['kind', assistant.uuid],
  );
  const path = `/api/conversations/${await service.open(assistant.uuid)}`;
  const browser = await BrowserPeer.create();
  try {
    const { status, json } = await service.post(`${path}/voice`, { sdp: await browser.offer() });
    assert.equal(status, 201);
    await browser.accept(String(json['sdp']));
    const events = browser.events as { type: string; transcript?: string }[];
    const count = (type: string) => events.filter((event) => event.type === type).length;
    await until(() => count('response.done') === 1);
    const greeted = browser.received.length;
    assert(browser.received.some(({ samples }) => loudness(samples) > 0.05));

    endpoint.words.push('Do you sell tulips?');
    await sendSound(browser, tone(700, 1, browser.codec.rate));
    await until(() => count('response.done') === 2);
    assert(browser.received.slice(greeted).some(({ samples }) => loudness(samples) > 0.05));
    // The offer stays at the service: a browser that is connected to the model could change its instructions.
    assert.equal(JSON.stringify(json).includes(endpoint.key), false);
    assert.equal((await service.request('DELETE', `${path}/voice`)).status, 200);
    assert.deepEqual(
      linesOf((await service.get(path)).json['history']).map((line) => line.slice(line.indexOf(' ') + 1)),
      ['Welcome to the shop.', 'Do you sell tulips?', 'You said: Do you sell tulips?', 'The call has ended.'],
    );
  } finally {
    await browser.close();
  }
});
