import type { Conversation } from '../../client/chat-client.ts';
import type { Message } from './snapshot.ts';

export type HistoryItem = Conversation['history'][number];

/** A line of the service's history as it shows. */
export function messageFrom(item: HistoryItem, index: number | string): Message {
  const { role, content, function_calls, created_at } = item;
  const at = Date.parse(created_at ?? '');
  return {
    key: `history-${index}`,
    role,
    text: content,
    status: role === 'user' ? 'sent' : 'done',
    functionCalls: function_calls,
    ...(at > 0 && { at }),
  };
}
