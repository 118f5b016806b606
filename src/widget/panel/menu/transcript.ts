import { isPending, type Message } from '../../conversation/snapshot.ts';
import type { Locale } from '../../texts/texts.ts';
import { messageCopy, type MessageCopy } from '../copying/message-copy.ts';
import { richLines } from '../copying/rich-text.ts';
import { authorOf } from '../message-log.ts';
import { headingOf } from '../options.ts';
import type { PanelContext } from '../panel-context.ts';
import type { LazyModules } from '../modules/lazy-modules.ts';
import { allMessages } from '../message-log/earlier-messages.ts';

/** A conversation to copy, print or download. */
export interface Transcript {
  /** The assistant's name. */
  readonly heading: string;
  readonly locale: Locale;
  readonly messages: readonly Message[];
  /** The notice that earlier messages are missing, if they are. */
  readonly leftOut?: string;
  /** Renders answers in Markdown. */
  readonly modules: LazyModules;
}

/** The whole conversation: its earlier messages are requested from the service. */
export async function wholeTranscript(panel: PanelContext): Promise<Transcript> {
  const { modules, options } = panel;
  const locale = panel.locale as Locale;
  const heading = headingOf(options, locale);
  const [messages, isAll] = await allMessages(panel);
  const { earlier, network } = locale.texts;
  return { heading, locale, messages, modules, ...(!isAll && { leftOut: `${earlier}: ${network}` }) };
}

/** A message's time in the visitor's language; empty if the service returns none. */
export function timeOf({ at }: Message, { formats }: Locale): string {
  if (at === undefined) return '';
  return new Intl.DateTimeFormat(formats, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** The text of a message, as the chat shows it. */
export function shownText(message: Message, { modules, locale }: Transcript): string {
  return modules.get('messaging')?.textOf(message, locale.texts) ?? message.text;
}

/** The conversation as text: authors, times and messages. Answers are as rendered, without Markdown. */
export function transcriptCopy(transcript: Transcript): MessageCopy {
  const { locale, modules } = transcript;
  const heading = [transcript.heading, transcript.leftOut].filter(Boolean).join('\n');
  const parts = messagesOf(transcript).map((message) => {
    const time = timeOf(message, locale);
    const head = `${authorOf(message, transcript.heading, locale.texts)}${time && ` (${time})`}:`;
    const { text, html } = messageCopy({ ...message, text: shownText(message, transcript) }, modules);
    return { text: `${head}\n${text}\n`, html: `${richLines(head)}${html}` };
  });
  return {
    text: [`${heading}\n`, ...parts.map(({ text }) => text)].join('\n'),
    html: richLines(heading) + parts.map(({ html }) => html).join('<hr>'),
  };
}

/** The conversation as JSON, with the HTTP interface's names and without UUIDs. */
export function transcriptJson(transcript: Transcript): string {
  const history = messagesOf(transcript).map(({ role, text, event, author, at }) => ({
    role,
    content: text,
    ...(event && { event }),
    ...(author && { author }),
    ...(at !== undefined && { created_at: new Date(at).toISOString() }),
  }));
  const leftOut = transcript.leftOut && { is_complete: false };
  return JSON.stringify({ assistant: transcript.heading, ...leftOut, history }, null, 2);
}

/** The messages that the service has, with text: some services store empty ones. */
export function messagesOf({ messages }: Transcript): readonly Message[] {
  return messages.filter((message) => message.text.trim() && !isPending(message));
}

/** Returns a file name such as `Kim 2026-11-21.txt`, without characters that file systems refuse. */
export function transcriptFileName({ heading }: Transcript, extension: string): string {
  const name = heading
    .replace(/[\s\p{C}\\/:*?"<>|.]+/gu, ' ')
    .trim()
    .slice(0, 60);
  // `toISOString` writes UTC, so the time is moved to show the visitor's date.
  const now = new Date();
  now.setMinutes(now.getMinutes() - now.getTimezoneOffset());
  return `${name} ${now.toISOString().slice(0, 10)}.${extension}`;
}
