import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { WebRtcServer } from '../../src/voice/media/web-rtc-server.ts';
import { ScriptedSpeech } from '../support/calls/memory-voice.ts';
import { readStereoWav, soundsOf } from '../support/calls/stereo-wav.ts';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';
import { linesOf } from '../support/service/service-client.ts';
import { until } from '../support/until.ts';
import { BrowserPeer } from '../support/voice/browser-peer.ts';
import { sendSound } from '../support/voice/send-sound.ts';
import { loudness, tone } from '../support/voice/tone.ts';

test('a visitor with WebRTC is greeted, understood and answered by the service', async () => {
  const log = pino({ level: 'silent' });
  const speech = new ScriptedSpeech();
  speech.seconds = 0.3;
  const media = new WebRtcServer({ listenAddress: '127.0.0.1' }, log);
  const voice = { media, synthesizer: speech, transcriber: speech, problems: [], close: () => media.close() };
  const service = await startService({}, { voice });
  const assistant = await createAssistant(service, {
    balance: '1',
    initialMessage: 'Welcome to the shop.',
    limits: { webCalls: true, record: true },
  });
  const { json } = await service.post('/api/conversations', { assistant_id: assistant.uuid });
  const path = `/api/conversations/${String(json['conversation_id'])}`;
  const browser = await BrowserPeer.create();
  try {
    const { status, json: started } = await service.post(`${path}/voice`, { sdp: await browser.offer() });
    assert.equal(status, 201);
    await browser.accept(String(started['sdp']));
    const events = browser.events as { type: string; transcript?: string; reason?: string }[];
    const count = (type: string) => events.filter((event) => event.type === type).length;
    await until(() => count('response.done') === 1);
    assert(browser.received.some(({ samples }) => loudness(samples) > 0.05));

    speech.next.push('What are your opening hours?');
    await sendSound(browser, tone(700, 1, browser.codec.rate));
    await until(() => count('response.done') === 2);
    const said = events.filter(({ type }) => type.endsWith('completed') || type.endsWith('transcript.done'));
    assert.equal((await service.request('DELETE', `${path}/voice`)).status, 200);
    await until(() => count('call.ended') === 1);
    const history = linesOf((await service.get(path)).json['history']);
    assert.deepEqual(
      history.map((line) => line.slice(line.indexOf(' ') + 1)),
      [...said.map(({ transcript }) => transcript), 'The call has ended.'],
    );
    assert.equal(history[1], 'user: What are your opening hours?');
    assert.deepEqual(await readMoney(service, assistant.userId), { balance: 0.95, ledger: 0.95 });
    const { rows } = await service.running.database.pool.query<{ token: string }>(
      'SELECT recording_token AS token FROM calls WHERE user_id = $1',
      [assistant.userId],
    );
    const recording = await fetch(`${service.url}/api/recordings/${rows[0]?.token ?? ''}`);
    const { left, right, rate } = readStereoWav(Buffer.from(await recording.arrayBuffer()));
    assert.equal(rate, 16_000);
    const seconds = (side: Int16Array) =>
      soundsOf(side, rate).reduce((sum, [from, to]) => sum + to - from, 0);
    // The visitor spoke for a second, the assistant for 0.3 s a sentence.
    assert(Math.abs(seconds(left) - 1) < 0.25, `${seconds(left)} s of the visitor`);
    const expected = 0.3 * speech.spoken.length;
    assert(Math.abs(seconds(right) - expected) < 0.25, `${seconds(right)} s instead of ${expected} s`);
  } finally {
    await browser.close();
  }
});
