import { DateTime } from 'luxon';

/** A moment in ISO 8601, to the second, with the offset that a zone has then; UTC where the zone is unknown. */
export function zonedMoment(moment: string, zone: string): string {
  const inUtc = DateTime.fromISO(moment, { zone: 'utc' }).startOf('second');
  const there = inUtc.setZone(zone);
  const written = (there.isValid ? there : inUtc).toISO({ suppressMilliseconds: true });
  if (written === null) throw new Error(`"${moment}" is no moment.`);
  return written;
}

/** The same in seconds since 1970. */
export const unixSeconds = (moment: string): number => Math.floor(Date.parse(moment) / 1000);
