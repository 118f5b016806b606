import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { WebSocket } from 'ws';
import { LineFactory } from '../../src/service/realtime/line-factory.ts';
import type { ModelConfig } from '../../src/service/engine/read-models.ts';
import { FakeAri } from '../support/asterisk/fake-ari.ts';
import { CarrierAtAsterisk } from '../support/asterisk/carrier-at-asterisk.ts';
import { noRealtime } from '../support/calls/call-plan.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { callTo, waitForCall } from '../support/records/simulated-numbers.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { until } from '../support/until.ts';

const rate = 16_000;
const never = new AbortController().signal;

/** Plays the service's audio immediately, and records its commands. */
class FakeMedia {
  readonly commands: string[] = [];
  seconds = 0;
  readonly #socket: WebSocket;

  /** @param marks number of marks that are reported as played */
  constructor(socket: WebSocket, marks = Infinity) {
    this.#socket = socket;
    let left = marks;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        this.seconds += data.length / 2 / rate;
        return;
      }
      const { command, correlation_id } = JSON.parse(data.toString()) as Record<string, string>;
      if (command !== 'MARK_MEDIA') this.commands.push(command ?? '');
      else if (left-- > 0) socket.send(JSON.stringify({ event: 'MEDIA_MARK_PROCESSED', correlation_id }));
    });
  }

  /** Sends a tone of the customer. */
  receive(seconds: number, amplitude: number): void {
    for (let at = 0; at < seconds; at += 0.02) {
      const frame = Int16Array.from({ length: rate * 0.02 }, (_, index) => amplitude * Math.sin(index / 6));
      this.#socket.send(Buffer.from(frame.buffer));
    }
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a model
async function* text(...chunks: string[]) {
  yield* chunks;
}

/** The assistant starts its first sentence, whose end is never reported, and the customer makes a short sound. */
async function interruptedBriefly(at: CarrierAtAsterisk) {
  await at.answer();
  const media = new FakeMedia(await at.ari.media, 1);
  await until(() => at.lines.length === 1);
  const [line] = at.lines;
  const saying = line?.say(text('We are open from nine to five.'), 60, never);
  await until(() => media.seconds > 0);
  media.receive(0.2, 8000);
  return { media, line, saying };
}

describe('the audio of a call through Asterisk', () => {
  const opened: { close: () => Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  it('comes from the realtime model if the assistant has one', async () => {
    const endpoint = await RealtimeEndpoint.open();
    opened.push(endpoint);
    const { baseUrl, key: apiKey } = endpoint;
    const model: ModelConfig = {
      ...{ code: 'talker', name: 'Talker', type: 'multimodal', endpoint: undefined },
      realtime: { baseUrl, apiKey, model: 'any', voices: [] },
    };
    const at = await CarrierAtAsterisk.start(
      { mode: 'multimodal', model: 'talker' },
      new LineFactory({ ...noRealtime, speech: new MemoryVoice(), models: [model] }),
    );
    opened.push(at);
    await at.answer();
    const socket = await at.ari.media;
    const media = new FakeMedia(socket);
    await until(() => at.lines.length === 1);
    const [line] = at.lines;
    const speaker = await line?.openSpeaker?.({
      instructions: 'You sell flowers.',
      turnInstructions: { silence: '', reconnected: '', 'transfer-unanswered': '' },
      ...{ tools: [], history: [], replyMs: 10_000, recordUsage: () => undefined },
    });
    assert(line && speaker);
    await line.say(text('Welcome to the flower shop.'), 60, never);
    // Five words of 0.2 seconds.
    assert(Math.abs(media.seconds - 1) < 0.1, String(media.seconds));
    endpoint.words.push('Do you sell tulips?');
    for (const [seconds, amplitude] of [
      [0.5, 0],
      [0.6, 8000],
      [1, 0],
    ] as const)
      media.receive(seconds, amplitude);
    const event = await line.next(10, never);
    assert(event?.type === 'said');
    assert.equal(event.text, 'Do you sell tulips?');
  });

  it('is understood to the end if the customer hangs up, so that the number is blocked on request', async () => {
    const ari = await FakeAri.start();
    atEnd(() => ari.close());
    const model = await startModelServer();
    atEnd(() => model.close());
    const voice = new MemoryVoice();
    const service = await startService(
      {
        ...(await newDatabase()),
        ...{ WORKERS: 'on', LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' },
        ...{ CARRIER: 'asterisk', ASTERISK_URL: ari.url, ASTERISK_PASSWORD: 'p', CARRIER_COUNTRIES: 'DE' },
      },
      { voice },
    );
    const owner = await Owner.create(service, '10');
    const assistant = await owner.create('assistant', assistantBody({ post_call_evaluation: false }));
    const call = { phone_number: callTo.person, assistant_id: assistant.id };
    const { json } = await owner.post('make_call', call);
    const { query } = await ari.received('POST', /^\/channels$/);
    const { app = '', channelId = '' } = query;
    ari.send(app, 'StasisStart', channelId);
    const media = new FakeMedia(await ari.media);
    await until(() => media.seconds > 0);
    voice.speech.next.push('Take me off your list!');
    media.receive(0.6, 8000);
    media.receive(0.4, 0);
    await until(() => voice.speech.next.length === 0);
    ari.send(app, 'ChannelDestroyed', channelId, { cause: 16 });
    const record = await waitForCall(owner, Number(json['call_id']));
    assert.match(String(record['transcript']), /Customer: Take me off your list!$/);
    assert.equal(record['status'], 'ended_by_customer');
    const blocked = (await owner.get('blocked-numbers')).json['data'] as Record<string, unknown>[];
    assert.deepEqual(
      blocked.map(({ phone_number }) => phone_number),
      [callTo.person],
    );
  });

  it('pauses when the customer makes a sound, and resumes if it was no interruption', async () => {
    const voice = new MemoryVoice();
    const at = await CarrierAtAsterisk.start({}, new LineFactory({ speech: voice, ...noRealtime }));
    opened.push(at);
    const { media, saying } = await interruptedBriefly(at);
    // Both at once on a busy machine, since it counts as silence while no audio arrives.
    await until(() => media.commands.length >= 1);
    media.receive(0.5, 0);
    await until(() => media.commands.length >= 2);
    assert.deepEqual(media.commands, ['PAUSE_MEDIA', 'CONTINUE_MEDIA']);
    voice.speech.next.push('Stop!');
    media.receive(1, 8000);
    media.receive(1, 0);
    assert.equal((await saying)?.cutOffBy, 'customer');
    await until(() => media.commands.length >= 5);
    assert.deepEqual(media.commands.slice(2), ['PAUSE_MEDIA', 'FLUSH_MEDIA', 'CONTINUE_MEDIA']);
  });

  it('counts as silence while none arrives: a paused answer resumes, and a turn ends', async () => {
    const voice = new MemoryVoice();
    const at = await CarrierAtAsterisk.start({}, new LineFactory({ speech: voice, ...noRealtime }));
    opened.push(at);
    const { media, line, saying } = await interruptedBriefly(at);
    await until(() => media.commands.length >= 2);
    assert.deepEqual(media.commands, ['PAUSE_MEDIA', 'CONTINUE_MEDIA']);
    voice.speech.next.push('Stop!');
    media.receive(1, 8000);
    assert.equal((await saying)?.cutOffBy, 'customer');
    assert.equal((await line?.next(60, never))?.type, 'said');
  });
});
