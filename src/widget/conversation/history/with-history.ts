import type { Conversation } from '../../../client/chat-client.ts';
import { isPending, type Message } from '../snapshot.ts';

export type HistoryItem = Conversation['history'][number];

/**
 * The service's history, then what is still pending. Messages that already show keep their key and what is known of
 * them. A service may give no more than the end of a long history: what showed before that stays.
 */
export function withHistory(
  messages: readonly Message[],
  history: readonly HistoryItem[],
): readonly Message[] {
  const shown = messages.filter((message) => !isPending(message) && message.status !== 'streaming');
  const keys = new Set(shown.map(({ key }) => key));
  let next = 0;
  let earlier: readonly Message[] = [];
  const confirmed = history.map((item, index) => {
    let at = next;
    while (at < shown.length && !isSame(shown[at] as Message, item)) at++;
    const before = shown[at];
    if (before !== undefined) {
      if (index === 0) earlier = shown.slice(0, at);
      next = at + 1;
      return before;
    }
    let message = messageFrom(item, index);
    for (let n = 1; keys.has(message.key); n++) message = messageFrom(item, `${index}-${n}`);
    keys.add(message.key);
    return message;
  });
  return [...earlier, ...confirmed, ...messages.filter(isPending)];
}

/** A stopped answer may be longer with the service, which heard of the stop later. */
function isSame({ role, text, isStopped }: Message, item: HistoryItem): boolean {
  const { role: itsRole, text: content } = messageFrom(item, 0);
  return role === itsRole && (isStopped ? content.startsWith(text) : text === content);
}

/** A line of the service's history as it shows. What a tool returned is no message, but it keeps its place among them. */
export function messageFrom(item: HistoryItem, index: number | string): Message {
  const { role, content, function_calls, created_at } = item;
  const at = Date.parse(created_at ?? '');
  const isOutput = role === 'tool' || role === 'function';
  return {
    key: `history-${index}`,
    role: isOutput ? 'system' : role,
    text: isOutput ? '' : content,
    status: role === 'user' ? 'sent' : 'done',
    functionCalls: function_calls,
    ...(at > 0 && { at }),
  };
}
