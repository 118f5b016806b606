import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlayoutQueue } from '../../src/service/voice/playout-queue.ts';

const sound = (...samples: number[]) => Int16Array.from(samples);

describe('the playout queue', () => {
  it('splits audio into frames, and pads the last one with silence', () => {
    const queue = new PlayoutQueue(2, 100);
    queue.add(sound(1));
    queue.add(sound(2, 3));
    assert.deepEqual(queue.take().frame, sound(1, 2));
    assert.deepEqual(queue.take().frame, sound(3, 0));
    assert.equal(queue.take().frame, undefined);
  });

  it('reports a mark with the frame after the end of its audio', () => {
    const queue = new PlayoutQueue(2, 100);
    queue.mark('start');
    queue.add(sound(1, 2, 3));
    queue.mark('middle');
    queue.add(sound(4, 5, 6));
    queue.mark('end');
    const marks = Array.from({ length: 5 }, () => queue.take().marks);
    assert.deepEqual(marks, [['start'], [], ['middle'], ['end'], []]);
  });

  it('discards audio and marks when it is cleared', () => {
    const queue = new PlayoutQueue(2, 100);
    queue.add(sound(1));
    queue.mark('passed');
    queue.take();
    queue.add(sound(1));
    queue.mark('waiting');
    queue.clear();
    assert.deepEqual(queue.take(), { marks: [], frame: undefined });
  });

  it('pauses with its marks, and repeats the last 0.2 seconds when it resumes', () => {
    const queue = new PlayoutQueue(1, 100);
    for (let sample = 1; sample <= 20; sample++) queue.add(sound(sample));
    queue.mark('end');
    for (let taken = 1; taken <= 15; taken++) queue.take();
    queue.pause();
    assert.deepEqual([queue.take(), queue.take()], Array(2).fill({ marks: [], frame: undefined }));
    queue.resume();
    const rest = Array.from({ length: 16 }, () => queue.take());
    assert.deepEqual(
      rest.map(({ frame }) => frame?.[0]),
      [...Array.from({ length: 15 }, (_, index) => index + 6), undefined],
    );
    assert.deepEqual(rest.at(-1)?.marks, ['end']);
  });

  it('repeats no audio from before a silence', () => {
    const queue = new PlayoutQueue(1, 100);
    queue.add(sound(1));
    queue.take();
    queue.take();
    queue.add(sound(2, 3));
    queue.take();
    queue.pause();
    queue.resume();
    assert.deepEqual(
      [queue.take(), queue.take(), queue.take()].map(({ frame }) => frame?.[0]),
      [2, 3, undefined],
    );
  });

  it('refuses audio beyond its limit', () => {
    const queue = new PlayoutQueue(2, 3);
    assert.equal(queue.add(sound(1, 2)), true);
    assert.equal(queue.add(sound(3, 4)), false);
    queue.take();
    assert.equal(queue.add(sound(3, 4)), true);
  });
});
