import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dtmfTones } from '../../src/service/voice/dtmf-tones.ts';
import { energyAt, loudness } from '../support/voice/tone.ts';

const rate = 8000;
const allFrequencies = [697, 770, 852, 941, 1209, 1336, 1477];

describe('the tones of telephone keys', () => {
  for (const [key, row, column] of [
    ['1', 697, 1209],
    ['5', 770, 1336],
    ['9', 852, 1477],
    ['*', 941, 1209],
    ['0', 941, 1336],
    ['#', 941, 1477],
  ] as const) {
    it(`are ${row} and ${column} Hz for ${key}`, () => {
      const tones = dtmfTones(key, rate).subarray(0, rate / 10);
      const strong = allFrequencies.filter((frequency) => energyAt(frequency, tones, rate) > 0.3);
      assert.deepEqual(strong, [row, column]);
    });
  }

  it('are separated by silence, also by half a second for w', () => {
    const samples = dtmfTones('1w2', rate);
    assert.equal(samples.length, rate * 0.9);
    assert(loudness(samples.subarray(0, 0.1 * rate)) > 0.1);
    assert.equal(loudness(samples.subarray(0.1 * rate, 0.7 * rate)), 0);
    assert(loudness(samples.subarray(0.7 * rate, 0.8 * rate)) > 0.1);
  });
});
