import { DateTime } from 'luxon';

/** Formats an ISO 8601 timestamp in a time zone, to the second; in UTC if the zone is unknown. */
export function zonedTimestamp(timestamp: string, zone: string): string {
  const inUtc = DateTime.fromISO(timestamp, { zone: 'utc' }).startOf('second');
  const local = inUtc.setZone(zone);
  const formatted = (local.isValid ? local : inUtc).toISO({ suppressMilliseconds: true });
  if (formatted === null) throw new Error(`"${timestamp}" is not a timestamp.`);
  return formatted;
}

/** Converts an ISO 8601 timestamp to Unix time in seconds. */
export const unixSeconds = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);
