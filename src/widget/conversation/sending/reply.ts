import type { AnsweredMessage, FunctionCall } from '../../../client/chat-client.ts';
import type { Message } from '../snapshot.ts';

/** A piece of an answer, as it streams in. */
export type ReplyPiece =
  | { readonly type: 'delta'; readonly key: string; readonly text: string }
  | { readonly type: 'function-call'; readonly key: string; readonly call: FunctionCall };

/** A whole answer. */
export interface Reply {
  readonly key: string;
  readonly answer: AnsweredMessage;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly timing: { readonly first: number; readonly total: number };
}

function change(messages: readonly Message[], key: string, changes: Partial<Message>): readonly Message[] {
  return messages.map((message) => (message.key === key ? { ...message, ...changes } : message));
}

/** The message with that key was taken in; whatever went wrong before does not matter any more. */
function confirm(messages: readonly Message[], confirmed: string): readonly Message[] {
  return messages.map((message): Message => {
    if (message.key !== confirmed) return message;
    const { key, role, text, functionCalls, at } = message;
    return { key, role, text, functionCalls, at, status: 'sent' };
  });
}

export function growReply(messages: readonly Message[], event: ReplyPiece): readonly Message[] {
  const before = messages.find((message) => message.key === replyKey(event.key));
  const reply: Message = before ?? {
    key: replyKey(event.key),
    role: 'assistant',
    text: '',
    status: 'streaming',
    functionCalls: [],
  };
  const grown =
    event.type === 'delta'
      ? { ...reply, text: reply.text + event.text }
      : { ...reply, functionCalls: withCall(reply.functionCalls, event.call) };
  const isSent = messages.some(({ key, status }) => key === event.key && status === 'sent');
  // The first piece proves that the message arrived.
  const sent = isSent ? messages : change(messages, event.key, { status: 'sent' });
  if (before === undefined) return putReply(sent, event.key, grown);
  return sent.map((message) => (message === before ? grown : message));
}

export function completeReply(
  messages: readonly Message[],
  { key, answer, at, timing }: Reply,
): readonly Message[] {
  const sent = confirm(messages, key);
  if (isEmpty(answer)) return withoutReply(sent, key);
  return putReply(sent, key, {
    key: replyKey(key),
    role: 'assistant',
    text: answer.message,
    status: 'done',
    functionCalls: answer.function_calls,
    at,
    timing,
  });
}

/** Whether there is nothing of an answer to show. */
export function isEmpty({ message, function_calls }: AnsweredMessage): boolean {
  return !message.trim() && function_calls.length === 0;
}

/** What came of a reply until the visitor stopped it. */
export function stopReply(messages: readonly Message[], key: string, at: number): readonly Message[] {
  return change(confirm(messages, key), replyKey(key), { status: 'done', isStopped: true, at });
}

function withoutReply(messages: readonly Message[], key: string): readonly Message[] {
  return messages.filter((message) => message.key !== replyKey(key));
}

function replyKey(key: string): string {
  return `${key}-reply`;
}

/** The reply to a message stands right behind it, also while later messages are queued. */
function putReply(messages: readonly Message[], key: string, reply: Message): readonly Message[] {
  const others = withoutReply(messages, key);
  const index = others.findIndex((message) => message.key === key);
  return [...others.slice(0, index + 1), reply, ...others.slice(index + 1)];
}

/** A call is told twice: when it starts, and with its result. */
function withCall(calls: readonly FunctionCall[], call: FunctionCall): readonly FunctionCall[] {
  const index = calls.findIndex(
    ({ name, result, arguments: given }) =>
      call.result !== undefined &&
      name === call.name &&
      result === undefined &&
      JSON.stringify(given) === JSON.stringify(call.arguments),
  );
  return index < 0 ? [...calls, call] : calls.map((before, at) => (at === index ? call : before));
}
