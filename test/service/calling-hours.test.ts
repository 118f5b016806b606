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

/** [title, calling hours, current time, next calling time] */
const cases: [string, Partial<CallingHours>, string, string | undefined][] = [
  ['waits for the start of the calling hours', {}, '2026-01-14T07:59:59Z', '2026-01-14T08:00:00Z'],
  ['allows calls from the start time on', {}, '2026-01-14T08:00:00Z', '2026-01-14T08:00:00Z'],
  ['allows calls during the minute of the end time', {}, '2026-01-14T16:00:59Z', '2026-01-14T16:00:59Z'],
  ['waits for the next day after the end time', {}, '2026-01-14T16:01:00Z', '2026-01-15T08:00:00Z'],
  ['applies daylight saving time', {}, '2026-07-14T06:59:00Z', '2026-07-14T07:00:00Z'],
  [
    'skips days that are not allowed',
    { allowedDays: ['monday'] },
    '2026-01-14T12:00:00Z',
    '2026-01-19T08:00:00Z',
  ],
  [
    'waits for the next week if only one day is allowed',
    { allowedDays: ['wednesday'] },
    '2026-01-14T18:00:00Z',
    '2026-01-21T08:00:00Z',
  ],
  [
    'determines the day in the time zone of the campaign',
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
    'allows calls around the clock',
    { allowedHoursStartTime: '00:00', allowedHoursEndTime: '23:59' },
    '2026-01-14T22:59:59Z',
    '2026-01-14T22:59:59Z',
  ],
  [
    'continues past midnight if the end time is before the start time',
    { allowedHoursStartTime: '22:00', allowedHoursEndTime: '02:00', allowedDays: ['friday'] },
    '2026-01-17T00:30:00Z',
    '2026-01-17T00:30:00Z',
  ],
  [
    'does not allow calls after midnight that belong to a day that is not allowed',
    { allowedHoursStartTime: '22:00', allowedHoursEndTime: '02:00', allowedDays: ['friday'] },
    '2026-01-16T00:30:00Z',
    '2026-01-16T21:00:00Z',
  ],
  [
    'starts after the hour that daylight saving time skips',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '04:00' },
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:30:00Z',
  ],
  [
    'starts at the first occurrence of a repeated hour',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '02:45' },
    '2026-10-25T00:00:00Z',
    '2026-10-25T00:30:00Z',
  ],
  [
    'ends at the second occurrence of a repeated hour',
    { allowedHoursStartTime: '02:30', allowedHoursEndTime: '02:45' },
    '2026-10-25T01:45:59Z',
    '2026-10-25T01:45:59Z',
  ],
  ['never allows calls if no day is allowed', { allowedDays: [] }, '2026-01-14T12:00:00Z', undefined],
];

describe('nextCallingTime', () => {
  for (const [title, hours, now, expected] of cases) {
    test(title, () => {
      const found = nextCallingTime({ ...berlin, ...hours }, new Date(now));
      assert.equal(
        found?.toISOString(),
        expected === undefined ? undefined : new Date(expected).toISOString(),
      );
    });
  }
});
