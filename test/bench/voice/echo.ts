import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { VoiceLine } from '../../../src/service/voice/voice-line.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';
import { speechSettings } from '../../support/calls/call-plan.ts';
import { MemoryPeer } from '../../support/calls/memory-peer.ts';

/*
 * `npm run bench:echo`: the microphone hears the assistant itself, later and more quietly, as without echo cancellation.
 * Counts how often the assistant falls silent for a moment, and how many of its answers it cuts off. Then visitors of
 * several levels interrupt it, with and without an echo.
 */

const rate = 16_000;
const frame = rate / 50;
const delaySeconds = 0.15;
const levels = [-10, -20, -30, -40];
const voices = ['slt', 'rms', 'awb', 'kal16'] as const;
/** Levels of visitors (decibels relative to full scale) and of the echo, and seconds of the answer before they speak. */
const visits = [
  ...[-20, -25, -30, -35].map((visitor) => [visitor, -Infinity, 4] as const),
  ...[-30, -35].map((visitor) => [visitor, -Infinity, 0.5] as const),
  ...[-20, -30].flatMap((visitor) => [-20, -30, -40].map((echo) => [visitor, echo, 4] as const)),
];
const interruptions = [
  'Wait a moment, can I ask something?',
  'No, that is wrong.',
  'Hold on, please.',
  'Stop, please.',
  'I have another question.',
];
const answer =
  'We are open from Monday to Friday between nine and six, and on Saturday until two. On Sunday the shop is closed. Would you like to know the way?';

const log = pino({ level: 'warn' });
const { transcriber, synthesizer, createDetector, close } = await createOfflineSpeech({}, log);
if (!transcriber || !synthesizer || !createDetector)
  throw new Error('The package for voice calls is not installed.');
const parts = { transcriber, createDetector };

/** Plays an answer whose echo comes back; returns what became of it. */
async function play(
  sound: Int16Array,
  level: number,
  detector: typeof createDetector | undefined,
  visitor: Int16Array = new Int16Array(0),
  visitorStart = 0,
) {
  const peer = new MemoryPeer(rate, { isPaced: true });
  let pauses = 0;
  const nothing = () => undefined;
  const line = new VoiceLine({
    ...{ ...parts, peer, log, createDetector: detector, settings: speechSettings },
    synthesizer: {
      // eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a server
      async *speak() {
        yield sound;
      },
    },
    control: { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() },
    listener: {
      ...{ onCustomerSpeaking: nothing, onCustomerPaused: nothing, onProvisional: nothing },
      ...{ onCustomerSaid: nothing, onAssistantSaying: nothing, onAssistantSaid: nothing },
      ...{ onAssistantPaused: () => (pauses += 1), onAssistantResumed: nothing },
    },
  });
  async function* text() {
    yield await Promise.resolve('The answer.');
  }
  const playing = { isOver: false };
  const saying = line.say(text(), 120, new AbortController().signal);
  void saying.finally(() => (playing.isOver = true));
  const echo = new Array<number>(delaySeconds * rate).fill(0);
  const share = 10 ** (level / 20);
  let frames = 0;
  while (!playing.isOver) {
    echo.push(...peer.advance(0.02));
    // A microphone is never quite silent.
    const start = frames++ * frame - visitorStart * rate;
    peer.receive(
      echo
        .splice(0, frame)
        .map((sample, at) => share * sample + (visitor[start + at] ?? 0) + (Math.random() * 2 - 1) * 30),
    );
    await nextTurn();
  }
  const { cutOffBy } = await saying;
  line.close('connection');
  return { pauses, isCutOff: cutOffBy !== undefined, seconds: frames * 0.02 };
}

const converter = synthesizer;
async function say(text: string, voice: string): Promise<Int16Array> {
  const parts: number[][] = [];
  const settings = { language: 'en', voice, speed: 1 };
  for await (const part of converter.speak(text, settings, rate, new AbortController().signal))
    parts.push(Array.from(part));
  return Int16Array.from(parts.flat());
}

/** Removes the silence before speech, and sets its mean level. */
function atLevel(sound: Int16Array, level: number): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  const speech = sound.subarray(sound.findIndex(isLoud), sound.findLastIndex(isLoud) + 1);
  const power = speech.reduce((sum, sample) => sum + sample ** 2, 0) / speech.length;
  const factor = (32_768 * 10 ** (level / 20)) / Math.sqrt(power);
  return speech.map((sample) => Math.max(-32_768, Math.min(32_767, factor * sample)));
}

const sounds: Int16Array[] = [];
for (const voice of voices) sounds.push(await say(answer, voice));
const visitors: { sound: Int16Array; answer: Int16Array }[] = [];
for (const [index, text] of interruptions.entries()) {
  for (const next of [1, 2]) {
    const voice = voices[(index + next) % voices.length] ?? voices[0];
    const sound = await say(text, voice);
    visitors.push({ sound, answer: sounds[index % sounds.length] ?? sound });
  }
}
for (const [name, detector] of [
  ['loudness', undefined],
  ['Silero', createDetector],
] as const) {
  for (const level of levels) {
    const results = [];
    for (const sound of sounds) results.push(await play(sound, level, detector));
    const pauses = results.map((result) => result.pauses).join(', ');
    const cut = results.filter(({ isCutOff }) => isCutOff).length;
    console.log(
      `${name}, echo of ${level} dB: ${cut} of ${results.length} answers cut off; pauses: ${pauses}`,
    );
  }
  for (const [visitorLevel, echo, visitorStart] of visits) {
    let tooEarly = 0;
    const delays: number[] = [];
    for (const { sound, answer } of visitors) {
      const { isCutOff, seconds } = await play(
        answer,
        echo,
        detector,
        atLevel(sound, visitorLevel),
        visitorStart,
      );
      if (isCutOff && seconds < visitorStart) tooEarly++;
      else if (isCutOff) delays.push(seconds - visitorStart);
    }
    delays.sort((a, b) => a - b);
    const median = delays[Math.floor(delays.length / 2)]?.toFixed(2) ?? '-';
    console.log(
      `${name}, visitor at ${visitorLevel} dB after ${visitorStart} s, ${echo === -Infinity ? 'no echo' : `echo of ${echo} dB`}: ${delays.length} of ${visitors.length} interrupt, after ${median} s (median); cut off before: ${tooEarly}`,
    );
  }
}
close();
