import { DateTime } from 'luxon';
import { weekdays } from '../../contract/campaign.ts';

/** The times at which a campaign may call. */
export interface CallingHours {
  timezone: string;
  /** `H:i`. */
  allowedHoursStartTime: string;
  /** `H:i`, inclusive. If it is earlier than the start, the hours end on the next day. */
  allowedHoursEndTime: string;
  /** The days on which the hours start. */
  allowedDays: readonly string[];
}

/**
 * Returns the earliest time from `now` on at which a campaign may call. When daylight saving time changes, a start or
 * end that is skipped moves to the next valid time. If a time occurs twice, the hours start at the first and end at the
 * second.
 *
 * @returns undefined if no day is allowed.
 */
export function nextCallingTime(hours: CallingHours, now: Date): Date | undefined {
  const local = DateTime.fromJSDate(now, { zone: hours.timezone });
  // From yesterday, whose hours may extend past midnight, to the same weekday of the next week.
  for (let day = -1; day <= weekdays.length; day++) {
    const date = local.startOf('day').plus({ days: day });
    if (!hours.allowedDays.includes(weekdays[date.weekday - 1] ?? '')) continue;
    const start = at(date, hours.allowedHoursStartTime);
    const endsNextDay = hours.allowedHoursEndTime < hours.allowedHoursStartTime;
    const end = endOfMinute(at(endsNextDay ? date.plus({ days: 1 }) : date, hours.allowedHoursEndTime));
    if (local < start) return start.toJSDate();
    if (local < end) return now;
  }
  return undefined;
}

function at(date: DateTime, time: string): DateTime {
  const [hour, minute] = time.split(':').map(Number);
  return date.set({ hour: hour ?? 0, minute: minute ?? 0, second: 0, millisecond: 0 });
}

/** Returns the end of a minute. If the minute occurs twice, returns the end of the second. */
function endOfMinute(minute: DateTime): DateTime {
  return (minute.getPossibleOffsets().at(-1) ?? minute).plus({ minutes: 1 });
}
