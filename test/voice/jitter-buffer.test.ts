import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JitterBuffer } from '../../src/voice/media/jitter-buffer.ts';
import type { StreamStep } from '../../src/voice/media/jitter-buffer.ts';

const payload = (sequenceNumber: number) => Uint8Array.of(sequenceNumber & 255);
const describeStep = (step: StreamStep) =>
  'lost' in step ? `lost before ${step.next?.[0] ?? 'another gap'}` : step.payload[0];

/** Adds packets at given times; returns everything that came out. */
function passThrough(buffer: JitterBuffer, packets: readonly [sequenceNumber: number, now: number][]) {
  return packets
    .flatMap(([sequenceNumber, now]) => buffer.add(sequenceNumber, payload(sequenceNumber), now))
    .map(describeStep);
}

describe('the jitter buffer', () => {
  it('returns packets in order immediately, across the overflow of sequence numbers', () => {
    const buffer = new JitterBuffer();
    assert.deepEqual(buffer.add(65_535, payload(255), 0).map(describeStep), [255]);
    assert.deepEqual(buffer.add(0, payload(0), 20).map(describeStep), [0]);
  });

  it('reorders packets, and drops duplicates', () => {
    const arrivals: [number, number][] = [1, 3, 3, 2, 2, 5, 4].map((number, index) => [number, index]);
    assert.deepEqual(passThrough(new JitterBuffer(), arrivals), [1, 2, 3, 4, 5]);
  });

  it('reports a lost packet after 40 ms, with the packet after it', () => {
    const buffer = new JitterBuffer();
    assert.deepEqual(
      passThrough(buffer, [
        [1, 0],
        [3, 20],
      ]),
      [1],
    );
    assert.deepEqual(buffer.release(59), []);
    assert.deepEqual(buffer.release(60).map(describeStep), ['lost before 3', 3]);
  });

  it('waits longer after a packet arrived too late, at most 300 ms', () => {
    const buffer = new JitterBuffer();
    passThrough(buffer, [
      [1, 0],
      [3, 0],
    ]);
    buffer.release(100);
    // Packet 2 is late by 250 ms, so the next gap stays open for 270 ms.
    assert.deepEqual(
      passThrough(buffer, [
        [2, 250],
        [5, 1000],
      ]),
      [],
    );
    assert.deepEqual(buffer.release(1269), []);
    assert.equal(buffer.release(1270).length, 2);
    passThrough(buffer, [
      [4, 5000],
      [7, 6000],
    ]);
    assert.deepEqual(buffer.release(6299), []);
    assert.equal(buffer.release(6300).length, 2);
  });

  it('restarts if the sequence numbers jump', () => {
    assert.deepEqual(
      passThrough(new JitterBuffer(), [
        [1, 0],
        [3, 0],
        [30_000, 5],
        [30_001, 6],
        [2, 7],
      ]),
      [...[1, 48, 49, 2]],
    );
  });
});
