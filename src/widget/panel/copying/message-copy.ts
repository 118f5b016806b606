import type { Message } from '../../conversation/snapshot.ts';
import { isMarkdown } from '../message-log.ts';
import type { LazyModules } from '../modules/lazy-modules.ts';
import { plainText } from './plain-text.ts';
import { richLines, richText, withDirection } from './rich-text.ts';

/** A message in the formats that the clipboard takes. */
export interface MessageCopy {
  /** Plain text. */
  readonly text: string;
  /** HTML, for emails and documents. */
  readonly html: string;
}

/** Converts a message, without the replies that it suggests. */
export function messageCopy(message: Message, modules: LazyModules): MessageCopy {
  const { key, text, status } = message;
  const markdown = isMarkdown(message) ? modules.get('markdown') : undefined;
  const answer = markdown?.answerBlocks(key, text, status === 'streaming');
  if (answer === undefined) return { text, html: withDirection(richLines(text), text) };
  const plain = plainText(answer.blocks);
  return { text: plain, html: withDirection(richText(answer.blocks), plain) };
}
