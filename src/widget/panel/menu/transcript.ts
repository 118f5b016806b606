import type { Message } from '../../conversation/snapshot.ts';
import { messageCopy, type MessageCopy } from '../copying/message-copy.ts';
import { richLines } from '../copying/rich-text.ts';
import { headingOf, type PanelModel } from '../panel-model.ts';
import type { Transcript } from './whole-conversation.ts';

/** Who wrote a message, in the visitor's words. */
export function authorOf(model: PanelModel, { role }: Message): string {
  const { texts } = model.locale;
  return { user: texts.you, assistant: headingOf(model), system: texts.notice }[role];
}

/** When, in the manner of the visitor's language; empty where the service does not say. */
export function timeOf({ locale }: PanelModel, { at }: Message): string {
  if (at === undefined) return '';
  return new Intl.DateTimeFormat(locale.language, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** The conversation to read: who, when and what. Answers are as they show, not as the assistant wrote them in Markdown. */
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

/** The conversation for programs, with the names that the HTTP interface has for it. Nobody's UUID is in it. */
export function transcriptJson(model: Transcript): string {
  const history = withWords(model).map(({ role, text, at }) => ({
    role,
    content: text,
    ...(at !== undefined && { created_at: new Date(at).toISOString() }),
  }));
  const leftOut = model.leftOut && { is_complete: false };
  return JSON.stringify({ assistant: headingOf(model), ...leftOut, history }, null, 2);
}

/** Some services keep lines with nothing in them for anybody to read. */
function withWords({ snapshot }: Transcript): readonly Message[] {
  return snapshot.messages.filter(({ text }) => text.trim());
}

/** As in `Kim 2026-11-21.txt`, without what file systems refuse. */
export function transcriptFileName(model: PanelModel, extension: string): string {
  const name = headingOf(model)
    .replace(/[\s\p{C}\\/:*?"<>|.]+/gu, ' ')
    .trim()
    .slice(0, 60);
  return `${name} ${new Date(model.now).toISOString().slice(0, 10)}.${extension}`;
}
