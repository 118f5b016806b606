const day = 24 * 60 * 60 * 1000;

/** Names the day of a time: today, yesterday, or the date, with the year if it is not this one. */
export function dayLabel(at: number, now: number, language: string): string {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / day);
  if (days === 0 || days === -1) {
    const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
    return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
  }
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(language, {
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
