import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextCallingTime } from '../../src/service/campaign/calling-hours.ts';
import type { CallingHours } from '../../src/service/campaign/calling-hours.ts';
import { weekdays } from '../../src/contract/campaign.ts';

const berlin: CallingHours = {
  timezone: 'Europe/Berlin',
  allowedHoursStartTime: '09:00',
  allowedHoursEndTime: '17:00',
  allowedDays: weekdays,
};

/** [what is special, the hours, now, when a campaign may call next] */
const cases: [string, Partial<CallingHours>, string, string | undefined][] = [
  ['before its hours waits for them', {}, '2026-01-14T07:59:59Z', '2026-01-14T08:00:00Z'],
  ['at the beginning of its hours calls', {}, '2026-01-14T08:00:00Z', '2026-01-14T08:00:00Z'],
  ['in the minute of the end calls', {}, '2026-01-14T16:00:59Z', '2026-01-14T16:00:59Z'],
  ['after that minute waits for the next day', {}, '2026-01-14T16:01:00Z', '2026-01-15T08:00:00Z'],
  ['has its hours by the clocks of summer', {}, '2026-07-14T06:59:00Z', '2026-07-14T07:00:00Z'],
  [
    'on a day without calls waits for one with',
    { allowedDays: ['monday'] },
    '2026-01-14T12:00:00Z',
    '2026-01-19T08:00:00Z',
  ],
  [
    'after the hours of its only day waits for the same day of the next week',
    { allowedDays: ['wednesday'] },
    '2026-01-14T18:00:00Z',
    '2026-01-21T08:00:00Z',
  ],
  [
    'has days that begin at midnight in its own time zone',
    {
      timezone: 'Asia/Tokyo',
      allowedDays: ['thursday'],
      allowedHoursStartTime: '00:00',
      allowedHoursEndTime: '23:59',
    },
    '2026-01-14T14:59:00Z',
    '2026-01-14T15:00:00Z',
  ],
  [
    'may call round the clock',
    { allowedHoursStartTime: '00:00', allowedHoursEndTime: '23:59' },
    '2026-01-14T22:59:59Z',
    '2026-01-14T22:59:59Z',
  ],
  [
    'calls past midnight when its hours end before they begin, also when the next day has none',
    { allowedHoursStartTime: '22:00', allowedHoursEndTime: '02:00', allowedDays: ['friday'] },
    '2026-01-17T00:30:00Z',
    '2026-01-17T00:30:00Z',
  ],
  [
    'does not call past midnight of a day that has no hours',
    { allowedHoursStartTime: '22:00', allowedHoursEndTime: '02:00', allowedDays: ['friday'] },
    '2026-01-16T00:30:00Z',
    '2026-01-16T21:00:00Z',
  ],
  [
    'begins after the hour that the change to summer leaves out',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '04:00' },
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:30:00Z',
  ],
  [
    'begins with the first of two equal hours in autumn',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '02:45' },
    '2026-10-25T00:00:00Z',
    '2026-10-25T00:30:00Z',
  ],
  [
    'and ends with the second',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '02:45' },
    '2026-10-25T01:45:59Z',
    '2026-10-25T01:45:59Z',
  ],
  ['never calls without any day', { allowedDays: [] }, '2026-01-14T12:00:00Z', undefined],
];

describe('a campaign', () => {
  for (const [what, hours, now, expected] of cases) {
    test(what, () => {
      const found = nextCallingTime({ ...berlin, ...hours }, new Date(now));
      assert.equal(
        found?.toISOString(),
        expected === undefined ? undefined : new Date(expected).toISOString(),
      );
    });
  }
});
