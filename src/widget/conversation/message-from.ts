import type { Conversation } from '../../client/chat-client.ts';
import type { Message } from './snapshot.ts';

export type HistoryItem = Conversation['history'][number];

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
