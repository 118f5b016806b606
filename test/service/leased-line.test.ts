import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { LeasedLine } from '../../src/service/call/connection/leased-line.ts';
import { readNumberTraits } from '../../src/service/carrier/number-traits.ts';
import { SimulatedCustomer } from '../../src/service/carrier/simulated-customer.ts';
import { SimulatedLine } from '../../src/service/carrier/simulated-line.ts';
import { customerSentences } from '../../src/service/carrier/simulated-sentences.ts';
import { RelayLine } from '../../src/service/carrier/twilio/relay-line.ts';
import type { Line } from '../../src/service/voice/line.ts';
import { VoiceLine } from '../../src/service/voice/voice-line.ts';
import { speechSettings } from '../support/calls/call-plan.ts';
import { MemoryPeer } from '../support/calls/memory-peer.ts';
import { ScriptedSpeech } from '../support/calls/memory-voice.ts';
import { ScriptedLine } from '../support/calls/scripted-line.ts';

const never = new AbortController().signal;

const lines: Record<string, () => Line> = {
  Twilio: () =>
    new RelayLine(
      { send: () => undefined, closeSoon: () => undefined },
      { speed: 1, interruptingWords: 0, languages: ['en'] },
      'https://voice.example.com/silence.wav',
    ),
  Asterisk: () =>
    new VoiceLine({
      peer: new MemoryPeer(8000),
      ...{ synthesizer: new ScriptedSpeech(), transcriber: new ScriptedSpeech() },
      settings: speechSettings,
      control: { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() },
      log: pino({ level: 'silent' }),
    }),
  'the simulated carrier': () => {
    const weights = { human: 1, machine: 0, 'no-answer': 0, busy: 0, failed: 0 };
    const traits = readNumberTraits('+4989100100800', weights);
    return new SimulatedLine(speechSettings, new SimulatedCustomer(traits, customerSentences('en')), () =>
      Promise.resolve(),
    );
  },
  'the tests': () => new ScriptedLine(() => undefined),
};

async function* greeting() {
  yield await Promise.resolve('Hello!');
}

for (const [carrier, createLine] of Object.entries(lines)) {
  describe(`a line of ${carrier}`, () => {
    it('says nothing to a machine that was detected before it speaks', async () => {
      const line = new LeasedLine(createLine(), 'a lease');
      line.identify('machine');
      const { played, startedAt, cutOffBy } = await line.say(greeting(), 60, never, never);
      assert.deepEqual([played, startedAt, cutOffBy], ['', undefined, 'signal']);
      assert.deepEqual(await line.next(60, never), { type: 'identified', by: 'machine' });
    });

    it('says nothing when the service is stopping', async () => {
      const line = new LeasedLine(createLine(), 'a lease');
      await assert.rejects(line.say(greeting(), 60, AbortSignal.abort(new Error('stopping')), never), {
        message: 'stopping',
      });
    });

    it('runs an action at a time on its clock', async () => {
      const created = createLine();
      const line = new LeasedLine(created, 'a lease');
      const cancel = line.at(line.now + 0.2, () => Promise.reject(new Error('It was cancelled.')));
      const ran = Promise.withResolvers<number>();
      line.at(line.now + 0.2, async () => {
        await Promise.resolve();
        ran.resolve(line.now);
      });
      cancel();
      const silence = new AbortController();
      const next = line.next(10, silence.signal).catch(() => undefined);
      if (created instanceof ScriptedLine) await created.waits(0.2);
      const at = await ran.promise;
      assert.ok(at >= 0.19 && at < 10, `${at}`);
      silence.abort();
      await next;
    });
  });
}
