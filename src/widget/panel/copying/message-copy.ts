import type { Message } from '../../conversation/snapshot.ts';
import { isMarkdown } from '../message-log.ts';
import type { PanelModel } from '../panel-model.ts';
import { plainText } from './plain-text.ts';
import { richLines, richText, withDirection } from './rich-text.ts';

/** What a message says when it leaves the chat. */
export interface MessageCopy {
  /** To read as it is. */
  readonly text: string;
  /** The same with its looks, for mails and documents. */
  readonly html: string;
}

/** A message as its reader sees it, without what it suggests to reply. */
export function messageCopy({ modules }: PanelModel, message: Message): MessageCopy {
  const { key, text, status } = message;
  const part = isMarkdown(message) ? modules.get('markdown') : undefined;
  const answer = part?.answerBlocks(key, text, status === 'streaming');
  if (answer === undefined) return { text, html: withDirection(richLines(text), text) };
  const plain = plainText(answer.blocks);
  return { text: plain, html: withDirection(richText(answer.blocks), plain) };
}
