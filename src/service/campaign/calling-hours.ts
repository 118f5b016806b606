import { DateTime } from 'luxon';
import { weekdays } from '../../contract/campaign.ts';

/** When a campaign may call, in its own time zone. */
export interface CallingHours {
  timezone: string;
  /** `H:i`. */
  allowedHoursStartTime: string;
  /** `H:i`; that minute still counts. Earlier than the start: the hours go past midnight. */
  allowedHoursEndTime: string;
  /** The days on which the hours begin. */
  allowedDays: readonly string[];
}

/**
 * The first moment, not before `now`, at which a campaign may call: `now` itself during its hours. A local time that a
 * change of the clocks leaves out becomes the one after it; one that comes twice begins at the first and ends with the
 * second.
 *
 * @returns undefined if there is none.
 */
export function nextCallingTime(hours: CallingHours, now: Date): Date | undefined {
  const local = DateTime.fromJSDate(now, { zone: hours.timezone });
  // From yesterday, whose hours may go past midnight, to the same day of the next week, whose hours may be over today.
  for (let day = -1; day <= weekdays.length; day++) {
    const date = local.startOf('day').plus({ days: day });
    if (!hours.allowedDays.includes(weekdays[date.weekday - 1] ?? '')) continue;
    const start = at(date, hours.allowedHoursStartTime);
    const isOverMidnight = hours.allowedHoursEndTime < hours.allowedHoursStartTime;
    const end = lastMoment(at(isOverMidnight ? date.plus({ days: 1 }) : date, hours.allowedHoursEndTime));
    if (local < start) return start.toJSDate();
    if (local < end) return now;
  }
  return undefined;
}

function at(date: DateTime, time: string): DateTime {
  const [hour, minute] = time.split(':').map(Number);
  return date.set({ hour: hour ?? 0, minute: minute ?? 0, second: 0, millisecond: 0 });
}

/** The end of a minute; of one that comes twice, of the second. */
function lastMoment(minute: DateTime): DateTime {
  return (minute.getPossibleOffsets().at(-1) ?? minute).plus({ minutes: 1 });
}
