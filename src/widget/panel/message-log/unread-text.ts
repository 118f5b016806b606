import { fill, plural, type Locale } from '../../texts/texts.ts';

/** The number of unread messages, in words. */
export function unreadText(count: number, locale: Locale): string {
  const { language } = locale;
  const number = new Intl.NumberFormat(language).format(count);
  return fill(plural(locale.texts.unread, count, language), { count: number });
}
