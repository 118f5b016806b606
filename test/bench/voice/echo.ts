import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { VoiceLine } from '../../../src/service/voice/voice-line.ts';
import { createOfflineSpeech } from '../../../src/voice/speech/offline-speech.ts';
import { speechSettings } from '../../support/calls/call-plan.ts';
import { MemoryPeer } from '../../support/calls/memory-peer.ts';

/*
 * `npm run bench:echo`: the microphone hears the assistant itself, later and more quietly, as without echo cancellation.
 * Counts how often the assistant falls silent for a moment, and how many of its answers it cuts off.
 */

const rate = 16_000;
const frame = rate / 50;
const delaySeconds = 0.15;
const levels = [-10, -20, -30, -40];
const voices = ['slt', 'rms', 'awb', 'kal16'];
const answer =
  'We are open from Monday to Friday between nine and six, and on Saturday until two. On Sunday the shop is closed. Would you like to know the way?';

const log = pino({ level: 'warn' });
const { transcriber, synthesizer, createDetector, close } = await createOfflineSpeech({}, log);
if (!transcriber || !synthesizer || !createDetector)
  throw new Error('The package for voice calls is not installed.');
const parts = { transcriber, createDetector };

/** Plays an answer whose echo comes back; returns what became of it. */
async function play(sound: Int16Array, level: number, detector: typeof createDetector | undefined) {
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
      ...{ onAssistantPausing: () => (pauses += 1), onAssistantContinuing: nothing },
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
  while (!playing.isOver) {
    echo.push(...peer.advance(0.02));
    // A microphone is never quite silent.
    peer.receive(echo.splice(0, frame).map((sample) => share * sample + (Math.random() * 2 - 1) * 30));
    await nextTurn();
  }
  const { cutOffBy } = await saying;
  line.close('connection');
  return { pauses, isCutOff: cutOffBy !== undefined };
}

const sounds: Int16Array[] = [];
for (const voice of voices) {
  const parts: number[][] = [];
  const settings = { language: 'en', voice, speed: 1 };
  for await (const part of synthesizer.speak(answer, settings, rate, new AbortController().signal))
    parts.push(Array.from(part));
  sounds.push(Int16Array.from(parts.flat()));
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
}
close();
