import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { ambientSoundOf, ambientSounds } from '../../src/service/voice/ambience/ambient-sound.ts';
import type { AmbientSound } from '../../src/service/voice/ambience/ambient-sound.ts';
import { renderAmbience } from '../../src/service/voice/ambience/render-ambience.ts';
import { SoundLoop } from '../../src/service/voice/ambience/sound-loop.ts';
import type { Synthesizer } from '../../src/service/voice/synthesizer.ts';
import type { Transcriber } from '../../src/service/voice/transcriber.ts';
import { VoiceLine } from '../../src/service/voice/voice-line.ts';
import { MemoryPeer } from '../support/calls/memory-peer.ts';
import { until } from '../support/until.ts';

const rate = 8000;
const frame = 0.02;
const never = new AbortController().signal;

const tone = (seconds: number) =>
  Int16Array.from({ length: Math.round(seconds * rate) }, (_, index) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 440 * index) / rate)),
  );

const loudness = (samples: Iterable<number>) => {
  const squares = Array.from(samples, (sample) => sample ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
};

/** The longest run of samples without sound. Noise crosses zero, but stays there only for a moment. */
function longestGap(samples: readonly number[]): number {
  let [gap, longest] = [0, 0];
  for (const sample of samples) {
    gap = Math.abs(sample) < 2 ? gap + 1 : 0;
    longest = Math.max(longest, gap);
  }
  return longest / rate;
}

// eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a model
async function* stream<Chunk>(...chunks: Chunk[]) {
  yield* chunks;
}

function createLine(ambientSound: AmbientSound | undefined) {
  const peer = new MemoryPeer(rate, { isPaced: true });
  let transcriptions = 0;
  const speech: Synthesizer & Transcriber = {
    transcribe: () => {
      transcriptions += 1;
      return Promise.resolve('Understood.');
    },
    // In parts that fill no frame.
    speak: () => stream(tone(0.333), tone(0.333), tone(0.334)),
  };
  const line = new VoiceLine({
    ...{ peer, synthesizer: speech, transcriber: speech },
    settings: {
      language: 'en',
      speed: 1,
      allowInterruptions: true,
      minInterruptWords: 0,
      interruptSensitivity: 1,
      endpointType: 'vad',
      endpointSensitivity: 0.5,
      ambientSound,
    },
    control: { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() },
    log: pino({ level: 'silent' }),
  });
  const playUntil = (condition: () => boolean) => until(condition, () => peer.advance(frame));
  return { line, peer, playUntil, transcriptions: () => transcriptions };
}

describe('an ambient sound', () => {
  it('plays without gaps during silence, at its volume', () => {
    const [loud, quiet] = [1, 0.25].map((volume) => createLine({ name: 'nature', volume }).peer.advance(20));
    assert(loud && quiet);
    assert(longestGap(loud) < 0.005, `a gap of ${String(longestGap(loud))} s`);
    assert(Math.abs(loudness(loud) / loudness(quiet) - 4) < 0.1);
  });

  it('continues under the assistant’s speech, which is complete', async () => {
    const { line, peer, playUntil } = createLine({ name: 'cafe', volume: 1 });
    peer.advance(1);
    let isOver = false;
    const saying = line.say(stream('One. ', 'Two.'), 60, never);
    void saying.finally(() => (isOver = true));
    await playUntil(() => isOver);
    assert.deepEqual([(await saying).played, (await saying).cutOffBy], ['One. Two.', undefined]);
    peer.advance(1);
    assert(longestGap(peer.playedSamples) < 0.005, `a gap of ${String(longestGap(peer.playedSamples))} s`);
    const spoken = peer.playedSamples.filter((sample) => Math.abs(sample) > 5000).length;
    const expected = 2 * tone(1).filter((sample) => Math.abs(sample) > 5000).length;
    assert(Math.abs(spoken / expected - 1) < 0.1, `${String(spoken)} of ${String(expected)} loud samples`);
  });

  it('delays the assistant’s speech by less than a fifth of a second', async () => {
    const { line, peer } = createLine({ name: 'office', volume: 0.5 });
    peer.advance(1);
    const before = peer.played;
    const saying = line.say(stream('One.'), 60, never);
    await until(() => peer.played - before >= rate);
    const first = peer.advance(1).findIndex((sample) => Math.abs(sample) > 5000);
    assert(first >= 0 && first / rate < 0.2, `began after ${String(first / rate)} s`);
    line.close('customer');
    await saying;
  });

  it('remains when the customer interrupts, which stops the speech at once', async () => {
    const { line, peer, playUntil } = createLine({ name: 'city', volume: 0.5 });
    const saying = line.say(stream('One. ', 'Two.'), 60, never);
    await playUntil(() => peer.playedSamples.some((sample) => Math.abs(sample) > 5000));
    peer.receive(tone(0.5));
    peer.receive(new Int16Array(rate));
    const { played, cutOffBy } = await saying;
    assert.deepEqual([cutOffBy, played.includes('Two')], ['customer', false]);
    const after = peer.advance(3);
    assert(after.every((sample) => Math.abs(sample) < 5000));
    assert(longestGap(after) < 0.005);
  });

  for (const name of ambientSounds) {
    it(`"${name}" is not detected as speech, even as an echo`, async () => {
      const { line, peer, transcriptions } = createLine({ name, volume: 1 });
      // Phones and browsers leave less of an echo.
      const echo = () => {
        peer.receive(peer.advance(frame).map((sample) => sample / 8));
      };
      for (let time = 0; time < 9; time += frame) echo();
      assert.equal(await line.next(0, never), undefined);
      assert.equal(transcriptions(), 0);
    });
  }

  it('ends with the line', async () => {
    const { line, peer } = createLine({ name: 'forest', volume: 1 });
    peer.advance(1);
    await line.hangUp();
    const { played } = peer;
    peer.advance(1);
    assert.equal(peer.played, played);
  });

  it('is disabled by "off", an unknown one, or a volume of 0', () => {
    for (const none of [ambientSoundOf('off', 1), ambientSoundOf('beach', 1), ambientSoundOf('cafe', 0)]) {
      const { peer } = createLine(none);
      peer.advance(1);
      assert.equal(peer.played, 0);
    }
  });

  it('is passed on in whole frames, since a peer fills the others with silence', async () => {
    const { line, peer, playUntil } = createLine({ name: 'office', volume: 0.5 });
    const atMarks: number[] = [];
    const mark = peer.mark.bind(peer);
    peer.mark = (id) => {
      atMarks.push(peer.played % (rate * frame));
      mark(id);
    };
    let isOver = false;
    void line.say(stream('One. ', 'Two.'), 60, never).finally(() => (isOver = true));
    await playUntil(() => isOver);
    assert(atMarks.length > 25);
    assert(atMarks.every((samples) => samples === 0));
  });
});

describe('the loop of an ambient sound', () => {
  for (const [name, rate] of ambientSounds.flatMap((name) => [
    [name, 8000] as const,
    [name, 48_000] as const,
  ])) {
    it(`"${name}" has at ${String(rate)} Hz no click at its end, and is quieter than speech`, () => {
      const loop = renderAmbience(name, rate);
      const steps = loop.map((sample, index) => Math.abs(sample - (loop.at(index - 1) ?? 0)));
      const sorted = steps.toSorted();
      assert(
        (steps[0] ?? 0) <= (sorted[Math.floor(sorted.length * 0.999)] ?? 0),
        `a step of ${String(steps[0])}`,
      );
      assert(Math.abs(loudness(loop) / 654 - 1) < 0.2, `loudness ${String(loudness(loop))}`);
      assert(loop.every((sample) => Math.abs(sample) < 12_000));
    });
  }

  it('is the same each time, and different for each sound', () => {
    const render = () => new SoundLoop(rate).noise({ from: 100, to: 900, level: 1 }).voices(2, 1).render(500);
    assert.deepEqual(render(), render());
    const loops = ambientSounds.map((name) => renderAmbience(name, rate).join());
    assert.equal(new Set(loops).size, ambientSounds.length);
  });
});
