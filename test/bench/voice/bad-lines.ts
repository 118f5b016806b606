import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { Resampler } from '../../../src/service/voice/resampler.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';
import { Random } from '../../support/random.ts';
import { connectCall } from '../../support/voice/media-call.ts';
import { record } from '../../support/voice/recording.ts';
import { framesOf, join } from '../../support/voice/tone.ts';
import { wordErrors, words } from '../../support/voice/word-errors.ts';

/*
 * `npm run bench:bad-lines`: the effect of lost and late packets on a call. Sends recorded sentences with Opus over WebRTC
 * to the service, and measures how many words are misunderstood, and the delay of the audio.
 */
const sentences = [
  'Can you tell me your opening hours?',
  'I would like to book a table for two people on Friday evening.',
  'How long does a repair take?',
  'My order has not arrived yet, and I need it before the weekend.',
  'Which ways of payment do you accept?',
  'Can I return shoes that do not fit?',
  'Please send the invoice to my office instead of my home.',
  'Is there a warranty on boots?',
  'I want to change the date of my appointment.',
  'Can I rent a tent for the weekend?',
];
const lines = {
  'a good line': { loss: 0, jitter: 0 },
  '5 % of the packets lost': { loss: 0.05, jitter: 0 },
  '300 ms jitter': { loss: 0, jitter: 300 },
  both: { loss: 0.05, jitter: 300 },
};
const rate = 48_000;
const packetMs = 20;
const silence = new Int16Array(rate);

const { transcriber: speech, close } = await createOfflineSpeech({}, pino({ level: 'error' }));
if (!speech) throw new Error('Speech without a network is not installed.');
const voices = ['slt', 'kal'];
const sound: Int16Array[] = [silence, silence];
const spoken: { text: string; start: number; end: number }[] = [];
for (const voice of voices) {
  for (const text of sentences) {
    const { samples, rate: from } = await record(text, voice);
    const resampler = new Resampler(from, rate);
    const start = join(sound).length;
    sound.push(join([resampler.convert(samples), resampler.end()]));
    spoken.push({ text, start, end: join(sound).length });
    sound.push(silence);
  }
}

for (const [name, { loss, jitter }] of Object.entries(lines)) {
  const random = new Random(1);
  await using call = await connectCall();
  const packets: ReturnType<typeof call.browser.packets> = [];
  // In parts, since a call whose process is busy for ten seconds is given up.
  for (const second of framesOf(join(sound), rate)) {
    packets.push(...call.browser.packets(second));
    await pause(0);
  }
  const lags: number[] = [];
  let heardSamples = 0;
  const startedAt = performance.now();
  const { heard } = call;
  const ends = spoken.map(({ end }) => end);
  const push = heard.push.bind(heard);
  heard.push = (samples) => {
    heardSamples += samples.length;
    while (ends[0] !== undefined && heardSamples / call.peer.rate >= ends[0] / rate) {
      lags.push(performance.now() - startedAt - (ends.shift() ?? 0) / (rate / 1000));
    }
    return push(samples);
  };
  const sent = packets
    .map((packet, index) => ({
      packet,
      at: index * packetMs + random.next() * jitter,
      isLost: random.next() < loss,
    }))
    .filter(({ isLost }) => !isLost)
    .toSorted((a, b) => a.at - b.at);
  for (const { packet, at } of sent) {
    await pause(Math.max(0, at - (performance.now() - startedAt)));
    call.browser.sendPacket(packet);
  }
  await pause(1000);
  const all = join(heard);
  const ratio = call.peer.rate / rate;
  const margin = call.peer.rate * 0.3;
  let [errors, total] = [0, 0];
  for (const { text, start, end } of spoken) {
    const samples = all.slice(start * ratio - margin, end * ratio + margin);
    const said = await speech.transcribe(samples, call.peer.rate, 'en', AbortSignal.timeout(30_000));
    errors += wordErrors(text, said);
    total += words(text).length;
  }
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
  console.log(
    `${name}: ${errors} of ${total} words wrong; heard ${at(0.5)} ms later (median), ${at(0.95)} ms (95 %)`,
  );
}
close();
process.exit();
