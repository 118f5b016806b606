import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Message } from '../../conversation/snapshot.ts';
import type { Locale } from '../../texts/texts.ts';
import { authorOf, type LogValues, type MessageDetails } from '../message-log.ts';
import { textOf } from './event-text.ts';
import { dayLabel, startOfDay } from './day-label.ts';

/** Messages of one author within this time, in milliseconds, are grouped. */
const groupedWithin = 5 * 60 * 1000;

/** Everything that the surroundings of a message depend on, besides the message. */
export interface Surroundings {
  readonly previous: Message | undefined;
  /** Whether it is the greeting, and nobody has written. */
  readonly isGreetingAlone: boolean;
  /** Whether it is the first unseen message. */
  readonly isFirstNew: boolean;
  /** Whether it has the pointer or the focus. */
  readonly isActive: boolean;
  /** Whether times and days are known; until then, the day's line is empty. */
  readonly showsTimes: boolean;
  /** The functions that it used; undefined if they are not shown. */
  readonly used: unknown;
  readonly tools: unknown;
}

/** Renders the content around a message: day, "new messages" marker, functions used, actions. */
export function messageSurroundings(
  message: Message,
  { locale, heading, now }: Pick<LogValues, 'locale' | 'heading' | 'now'>,
  around: Surroundings,
): MessageDetails {
  const { previous, isGreetingAlone, isFirstNew, isActive, showsTimes, used, tools } = around;
  const { at, author, role } = message;
  // Messages of today and messages without a date show no day.
  const isNewDay = !isGreetingAlone && at !== undefined && startOfDay(at) !== startOfDay(previous?.at ?? now);
  const day = isNewDay
    ? divider(
        html`<time datetime=${dateOf(at)}
          >${showsTimes ? dayLabel(at, now, locale.formats) : '\u00A0'}</time
        >`,
        '',
      )
    : nothing;
  const mark = isFirstNew ? divider(locale.texts.newMessages, 'new') : nothing;
  const isClose = !(Math.abs((at ?? 0) - (previous?.at ?? at ?? 0)) > groupedWithin);
  const follows =
    previous?.role === role && previous.author === author && isClose && !isNewDay && !isFirstNew;
  const time = at === undefined || !showsTimes ? '' : `, ${timeOf(at, locale.formats)}`;
  return {
    above: isNewDay || isFirstNew ? html`${day}${mark}` : nothing,
    className: `${follows ? 'follows' : ''} ${isActive ? 'active' : ''} ${message.isProvisional ? 'provisional' : ''}`,
    author: author ? html`<b part="message-author" dir="auto">${author}</b>` : undefined,
    text: textOf(message, locale.texts),
    label: `${authorOf(message, heading, locale.texts)}${time}`,
    below: used === undefined ? tools : html`${used}${tools}`,
  };
}

function divider(content: unknown, className: string): TemplateResult {
  return html`<li role="listitem" class="divider ${className}"><span>${content}</span></li>`;
}

/** The date in the visitor's time zone, as in a `datetime` attribute. */
function dateOf(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Creating a format takes milliseconds, so it is created when the first time is shown, and kept. */
let format: Intl.DateTimeFormat | undefined;
let latest: { formats?: Locale['formats']; minute: number; text: string } = { minute: NaN, text: '' };

/** The time of day. Neighboring messages are often of the same minute, and formatting takes long for a whole history. */
export function timeOf(at: number, formats: Locale['formats']): string {
  const minute = Math.floor(at / 60_000);
  if (minute === latest.minute && formats === latest.formats) return latest.text;
  if (formats !== latest.formats) format = undefined;
  format ??= new Intl.DateTimeFormat(formats, { timeStyle: 'short' });
  latest = { formats, minute, text: format.format(at) };
  return latest.text;
}
