import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { VisitorAudioQueue } from '../../src/service/recording/visitor-audio-queue.ts';
import { AudioRecorder } from '../../src/service/recording/audio-recorder.ts';
import type { AudioChunk } from '../../src/service/recording/audio-recorder.ts';

const rate = 8000;
const frame = rate / 50;
const chunkFrames = 250;
const sound = (value: number, frames = 1) => new Int16Array(frames * frame).fill(value);

/** The first sample of each frame that a queue returns; 0 for silence. */
const take = (queue: VisitorAudioQueue, frames: number) =>
  Array.from({ length: frames }, () => queue.take(frame)?.[0] ?? 0);

describe('the audio of a visitor', () => {
  it('has no gaps if its packets arrive unevenly', () => {
    const queue = new VisitorAudioQueue(rate);
    const taken: number[] = [];
    for (let index = 0; index < 20; index++) {
      // Two packets in every second frame.
      if (index % 2 === 0) queue.add(sound(1000, 2));
      taken.push(...take(queue, 1));
    }
    const begin = taken.indexOf(1000);
    assert(begin >= 0 && begin <= 3);
    assert(taken.slice(begin).every((sample) => sample === 1000));
  });

  it('keeps its speed if it arrives late and all at once, and later has no delay', () => {
    const queue = new VisitorAudioQueue(rate);
    queue.add(sound(1000, 50));
    assert.deepEqual(take(queue, 50), Array<number>(50).fill(1000));
    queue.add(sound(1000, 50));
    queue.add(sound(0, 100));
    assert.deepEqual(take(queue, 50), Array<number>(50).fill(1000));
    // Most of the silence that arrived too early is dropped.
    queue.add(sound(2000, 5));
    const rest = take(queue, 16);
    assert(rest.includes(2000), rest.join());
  });

  it('ends also if it is shorter than the usual queue', () => {
    const queue = new VisitorAudioQueue(rate);
    queue.add(sound(1000));
    assert.deepEqual(
      take(queue, 6).filter((sample) => sample !== 0),
      [1000],
    );
  });

  it('takes no more memory than five seconds of audio', () => {
    const queue = new VisitorAudioQueue(rate);
    for (let value = 1; value <= 20; value++) queue.add(sound(value * 1000, 50));
    assert.deepEqual(new Set(take(queue, 1000)), new Set([16_000, 17_000, 18_000, 19_000, 20_000, 0]));
  });

  it('keeps its samples when the decoder uses its memory again', () => {
    const queue = new VisitorAudioQueue(rate);
    const shared = sound(1000, 5);
    queue.add(shared);
    shared.fill(3000);
    assert.deepEqual(take(queue, 5), Array<number>(5).fill(1000));
  });
});

describe('a recorder', () => {
  const log = pino({ level: 'silent' });
  const play = (recorder: AudioRecorder, frames: number, value = 1000) => {
    for (let index = 0; index < frames; index++) recorder.onPlayed(sound(value), 0);
  };

  /** A recorder whose database can be switched off. */
  function createRecorder() {
    const database = { isAvailable: true, isLeased: true, stored: [] as AudioChunk[] };
    const store = async (chunk: AudioChunk) => {
      await turn();
      if (!database.isAvailable) throw new Error('The database is not available.');
      if (database.isLeased) database.stored.push(chunk);
      return database.isLeased;
    };
    return { database, recorder: new AudioRecorder(rate, store, log) };
  }

  it('stores a part of five seconds as soon as it is full, and the rest at the end', async () => {
    const { recorder, database } = createRecorder();
    play(recorder, chunkFrames + 10);
    await turn();
    await turn();
    assert.deepEqual(
      database.stored.map(({ first, visitor, assistant }) => [first, visitor.length, assistant[0]]),
      [[0, 5 * rate, 1000]],
    );
    await recorder.finish();
    await recorder.finish();
    assert.equal(database.stored.length, 2);
    assert.deepEqual([database.stored[1]?.first, database.stored[1]?.visitor.length], [5 * rate, 10 * frame]);
  });

  it('has silence where the process was too busy to play', async () => {
    const { recorder, database } = createRecorder();
    recorder.onPlayed(sound(1000), 0);
    recorder.onPlayed(sound(2000), 3);
    await recorder.finish();
    const [chunk] = database.stored;
    const samples = [0, 1, 2, 3, 4].map((index) => chunk?.assistant[index * frame]);
    assert.deepEqual(samples, [1000, 0, 0, 0, 2000]);
  });

  it('stores parts in order after the database was unavailable', async () => {
    const { recorder, database } = createRecorder();
    database.isAvailable = false;
    play(recorder, 2 * chunkFrames);
    await turn();
    await turn();
    assert.deepEqual(database.stored, []);
    database.isAvailable = true;
    play(recorder, chunkFrames);
    await recorder.finish();
    assert.deepEqual(
      database.stored.map(({ first }) => first / rate),
      [0, 5, 10],
    );
  });

  it('keeps only the last minute in memory while the database is unavailable', async () => {
    const { recorder, database } = createRecorder();
    database.isAvailable = false;
    for (let count = 0; count < 20; count++) {
      play(recorder, chunkFrames);
      await turn();
      await turn();
    }
    database.isAvailable = true;
    await recorder.finish();
    assert.deepEqual(
      database.stored.map(({ first }) => first / rate),
      Array.from({ length: 12 }, (_, index) => 40 + index * 5),
    );
  });

  it('can be finished again if the database was unavailable at the end', async () => {
    const { recorder, database } = createRecorder();
    play(recorder, chunkFrames + 10);
    database.isAvailable = false;
    await assert.rejects(recorder.finish(), /not available/);
    database.isAvailable = true;
    await recorder.finish();
    assert.deepEqual(
      database.stored.map(({ first, visitor }) => [first / rate, visitor.length]),
      [
        [0, 5 * rate],
        [5, 10 * frame],
      ],
    );
  });

  it('ends when another process has the call', async () => {
    const { recorder, database } = createRecorder();
    database.isLeased = false;
    play(recorder, chunkFrames);
    await turn();
    await turn();
    database.isLeased = true;
    play(recorder, 2 * chunkFrames);
    await recorder.finish();
    assert.deepEqual(database.stored, []);
  });
});
