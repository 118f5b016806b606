import type { Message } from '../../conversation/snapshot.ts';
import { messageCopy, type MessageCopy } from '../copying/message-copy.ts';
import { richLines } from '../copying/rich-text.ts';
import { headingOf, type PanelModel } from '../panel-model.ts';
import type { Transcript } from './whole-conversation.ts';

/** A message's author, in the visitor's language. */
export function authorOf(model: PanelModel, { role }: Message): string {
  const { texts } = model.locale;
  return { user: texts.you, assistant: headingOf(model), system: texts.notice }[role];
}

/** A message's time in the visitor's language; empty if the service gives none. */
export function timeOf({ locale }: PanelModel, { at }: Message): string {
  if (at === undefined) return '';
  return new Intl.DateTimeFormat(locale.language, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** The conversation as text: authors, times and messages. Answers are as rendered, without Markdown. */
export function transcriptCopy(model: Transcript): MessageCopy {
  const heading = [headingOf(model), model.leftOut].filter(Boolean).join('\n');
  const parts = withWords(model).map((message) => {
    const time = timeOf(model, message);
    const head = `${authorOf(model, message)}${time && ` (${time})`}:`;
    const { text, html } = messageCopy(model, message);
    return { text: `${head}\n${text}\n`, html: `${richLines(head)}${html}` };
  });
  return {
    text: [`${heading}\n`, ...parts.map(({ text }) => text)].join('\n'),
    html: richLines(heading) + parts.map(({ html }) => html).join('<hr>'),
  };
}

/** The conversation as JSON, with the HTTP interface's names and without UUIDs. */
export function transcriptJson(model: Transcript): string {
  const history = withWords(model).map(({ role, text, at }) => ({
    role,
    content: text,
    ...(at !== undefined && { created_at: new Date(at).toISOString() }),
  }));
  const leftOut = model.leftOut && { is_complete: false };
  return JSON.stringify({ assistant: headingOf(model), ...leftOut, history }, null, 2);
}

/** Some services store empty messages. */
function withWords({ snapshot }: Transcript): readonly Message[] {
  return snapshot.messages.filter(({ text }) => text.trim());
}

/** Such as `Kim 2026-11-21.txt`, without characters that file systems refuse. */
export function transcriptFileName(model: PanelModel, extension: string): string {
  const name = headingOf(model)
    .replace(/[\s\p{C}\\/:*?"<>|.]+/gu, ' ')
    .trim()
    .slice(0, 60);
  return `${name} ${new Date(model.now).toISOString().slice(0, 10)}.${extension}`;
}
