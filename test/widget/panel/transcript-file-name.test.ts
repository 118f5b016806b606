import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transcriptFileName, type Transcript } from '../../../src/widget/panel/menu/transcript.ts';

describe('the file name of a transcript', () => {
  it('has the date in the time zone of the visitor', (t) => {
    const zone = process.env['TZ'];
    t.after(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });
    process.env['TZ'] = 'Pacific/Kiritimati';
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 4, 10, 20) });
    assert.equal(transcriptFileName({ heading: 'Kim' } as Transcript, 'txt'), 'Kim 2026-05-11.txt');
  });
});
