import type { Locale } from '../../texts/texts.ts';

const day = 24 * 60 * 60 * 1000;

/** Names the day of a time: today, yesterday, or the date, with the year if it is not this one. */
export function dayLabel(at: number, now: number, formats: Locale['formats']): string {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / day);
  if (days === 0 || days === -1) {
    const words = new Intl.RelativeTimeFormat(formats, { numeric: 'auto' }).format(days, 'day');
    // The capital letters of Georgian are only for texts in capitals.
    if (formats.at(-1) === 'ka') return words;
    return words.charAt(0).toLocaleUpperCase(formats[0]) + words.slice(1);
  }
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(formats, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(at);
}

/** The start of the day in the visitor's time zone. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
