import { pino } from 'pino';
import { TurnDetector } from '../../../src/service/voice/turn-detector.ts';
import type { SpeechDetector } from '../../../src/service/voice/voice-module.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';

/*
 * `npm run bench:turns`: measures turn-taking on generated recordings. Each speech detector gets the same audio: sentences
 * with a pause, and sounds during the assistant's speech that must or must not interrupt it.
 */

const rate = 16_000;
const frame = rate / 50;
/** As of an assistant with default settings: endpoint_sensitivity and interrupt_sensitivity 0.5. */
const settings = { pause: 0.9, shortest: 0.12 };
const interruptAfter = 0.45;
const never = new AbortController().signal;
const voices = ['slt', 'rms', 'awb', 'kal16'] as const;
type Sentence = readonly [beginning: string, rest: string];
const sentences: readonly [Sentence, ...Sentence[]] = [
  ['I would like to book a table', 'for two people on Friday evening.'],
  ['My order number is', 'seven four two nine.'],
  ['Could you tell me', 'whether you are open on Sunday?'],
  ['The address is twelve Mill Lane', 'and the town is Oxford.'],
  ['I think', 'the red one would be better.'],
];
const pauses = [0.3, 0.5, 0.7, 0.9, 1.2];

const { transcriber, synthesizer, createDetector, close } = await createOfflineSpeech(
  {},
  pino({ level: 'warn' }),
);
if (!transcriber || !synthesizer || !createDetector)
  throw new Error('The package for voice calls is not installed.');
const converter = synthesizer;
/** The element at an index, from the start again after the last. */
const pick = <Item>(items: readonly [Item, ...Item[]], index: number): Item =>
  items[index % items.length] ?? items[0];

let seed = 1;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const silence = (seconds: number) => new Int16Array(Math.round(seconds * rate));
const noise = (seconds: number, amplitude: number) =>
  silence(seconds).map(() => Math.round((random() * 2 - 1) * amplitude));
const join = (...parts: Int16Array[]) => Int16Array.from(parts.flatMap((part) => Array.from(part)));
const mix = (sound: Int16Array, other: Int16Array, share: number) =>
  sound.map((sample, index) =>
    Math.max(-32_768, Math.min(32_767, sample + share * (other[index % other.length] ?? 0))),
  );

async function say(text: string, voice: string): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  for await (const part of converter.speak(text, { language: 'en', voice, speed: 1 }, rate, never))
    parts.push(part);
  return trim(join(...parts));
}

/** Removes the silence at both ends, so that the end of the turn is known. */
function trim(sound: Int16Array): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  return sound.subarray(sound.findIndex(isLoud), sound.findLastIndex(isLoud) + 1);
}

const chatter: Int16Array[] = [];
for (const voice of voices) chatter.push(await say(sentences.flat().join(' '), voice));
const babble = chatter.reduce((sum, sound) => mix(sum, sound, 0.7), silence(12));
const clicks = join(...Array.from({ length: 20 }, () => join(noise(0.01, 12_000), silence(0.6))));
const backgrounds: [name: string, add: (sound: Int16Array) => Int16Array][] = [
  ['quiet', (sound) => mix(sound, noise(1, 60), 1)],
  ['noise', (sound) => mix(sound, noise(1, 700), 1)],
  ['faint voices', (sound) => mix(sound, babble, 0.05)],
  ['voices', (sound) => mix(sound, babble, 0.15)],
  ['clicks', (sound) => mix(mix(sound, noise(1, 60), 1), clicks, 1)],
];

/** Sentences with all backgrounds: 50 recordings in all with those below. */
const turns: { surrounding: string; pause: number; sound: Int16Array; end: number }[] = [];
for (const [index, pause] of pauses.entries()) {
  for (const [at, [surrounding, add]] of backgrounds.entries()) {
    const [first, second] = pick(sentences, index + at);
    const voice = pick(voices, index + at);
    const spoken = join(silence(1), await say(first, voice), silence(pause), await say(second, voice));
    turns.push({ surrounding, pause, sound: add(join(spoken, silence(3))), end: spoken.length / rate });
  }
}
const backchannels = ['Mm-hm.', 'Yes.', 'Okay.', 'Right.', 'I see.'];
const interruptions = [
  'Stop, please.',
  'Wait a moment.',
  'No, that is wrong.',
  'Can I ask something?',
  'Hold on, please.',
];
const sounds: { kind: string; sound: Int16Array; start: number }[] = [];
for (const [index, text] of backchannels.entries())
  sounds.push({ kind: 'backchannel', sound: await say(text, pick(voices, index)), start: 1 });
for (const [index, text] of interruptions.entries())
  sounds.push({ kind: 'interruption', sound: await say(text, pick(voices, index)), start: 1 });
for (const seconds of [0.2, 0.3, 0.4, 0.5, 0.6])
  sounds.push({ kind: 'cough', sound: noise(seconds, 9000), start: 1 });
for (const share of [0.03, 0.06, 0.1, 0.15, 0.2])
  sounds.push({ kind: 'voices behind', sound: mix(silence(5), babble, share), start: 1 });
for (const count of [1, 2, 4, 8, 12])
  sounds.push({ kind: 'clicks', sound: clicks.subarray(0, count * 0.61 * rate), start: 1 });

const detectors: [name: string, create: () => SpeechDetector | undefined][] = [
  ['loudness', () => undefined],
  ['Silero', () => createDetector(rate)],
];
console.log(`${turns.length + sounds.length} recordings`);
for (const [name, create] of detectors) {
  const rows = turns.map(({ sound, end, ...rest }) => ({ ...rest, ...measureTurn(create(), sound, end) }));
  const delays = rows.flatMap(({ delay }) => delay ?? []).sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor((delays.length - 1) * share)]?.toFixed(2) ?? '-';
  const cut = (from: number, to: number) => {
    const some = rows.filter(({ pause }) => pause >= from && pause <= to);
    return `${some.filter(({ isCutOff }) => isCutOff).length}/${some.length}`;
  };
  console.log(`\n${name}: cut off ${cut(0, 0.7)} (pauses to 0.7 s), ${cut(0.9, 1.2)} (longer)`);
  console.log(
    `  end noticed in ${delays.length}/${rows.length}; after ${at(0.5)} s (median), ${at(0.95)} s (95 %)`,
  );
  for (const kind of new Set(sounds.map((sound) => sound.kind))) {
    const found = sounds
      .filter((sound) => sound.kind === kind)
      .map(({ sound }) => timeToInterrupt(create(), sound));
    const times = found.filter((time) => time !== undefined).map((time) => time.toFixed(2));
    console.log(
      `  ${kind}: interrupts ${times.length}/${found.length}${times.length > 0 ? `, after ${times.join(', ')} s` : ''}`,
    );
  }
}
close();

function measureTurn(detector: SpeechDetector | undefined, sound: Int16Array, end: number) {
  const detecting = new TurnDetector(rate, settings, detector);
  let isCutOff = false;
  let delay: number | undefined;
  for (let at = 0; at < sound.length && delay === undefined; at += frame) {
    if (detecting.detect(sound.subarray(at, at + frame))?.type !== 'ended') continue;
    const seconds = (at + frame) / rate;
    if (seconds < end) isCutOff = true;
    else delay = seconds - end;
  }
  detecting.close();
  return { isCutOff, delay };
}

/** Seconds of the sound after which the assistant would stop; undefined if it continues. */
function timeToInterrupt(detector: SpeechDetector | undefined, sound: Int16Array): number | undefined {
  const detecting = new TurnDetector(rate, settings, detector);
  const line = join(noise(1, 60), mix(sound, noise(1, 60), 1), noise(1.5, 60));
  let found: number | undefined;
  for (let at = 0; at < line.length && found === undefined; at += frame) {
    const event = detecting.detect(line.subarray(at, at + frame));
    if (event?.type === 'speaking' && detecting.voicedSeconds >= interruptAfter)
      found = (at + frame) / rate - 1;
  }
  detecting.close();
  return found;
}
