import type { AnsweredMessage, Conversation, FunctionCall } from '../../client/chat-client.ts';
import type { Problem } from './problem.ts';
import { emptySnapshot, isPending, isUnsent, type Message, type Snapshot } from './snapshot.ts';

export type HistoryItem = NonNullable<Conversation['history']>[number];

/** What happens to a conversation. */
export type ConversationEvent =
  | { readonly type: 'opening' }
  | {
      readonly type: 'opened';
      readonly conversationId: string;
      readonly history: readonly HistoryItem[];
      readonly openedIn: number;
      readonly variables?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly type: 'failed'; readonly problem: Problem }
  /** The history as the service has it now: the truth about everything but what is still pending. */
  | { readonly type: 'history'; readonly history: readonly HistoryItem[]; readonly accepted?: string }
  | { readonly type: 'variables'; readonly variables: Readonly<Record<string, unknown>> }
  | { readonly type: 'queued'; readonly key: string; readonly text: string }
  | { readonly type: 'sending'; readonly key: string }
  | { readonly type: 'delta'; readonly key: string; readonly text: string }
  | { readonly type: 'function-call'; readonly key: string; readonly call: FunctionCall }
  | {
      readonly type: 'answered';
      readonly key: string;
      readonly answer: AnsweredMessage;
      readonly timing: { readonly first: number; readonly total: number };
    }
  | { readonly type: 'send-failed'; readonly key: string; readonly problem: Problem }
  | { readonly type: 'requeued'; readonly key: string }
  /** The answer is there, or there is none to wait for. */
  | { readonly type: 'settled' }
  /** Nothing is left of the conversation but what the visitor wrote and nobody has read. */
  | { readonly type: 'reset'; readonly keepPending: boolean };

/** The next snapshot. Pure: the same snapshot and event always give the same. */
export function reduce(snapshot: Snapshot, event: ConversationEvent): Snapshot {
  const { messages } = snapshot;
  switch (event.type) {
    case 'opening':
      return { ...snapshot, status: 'opening', problem: undefined };
    case 'opened':
      return {
        status: 'ready',
        conversationId: event.conversationId,
        messages: withHistory(messages, event.history),
        problem: undefined,
        variables: event.variables,
        openedIn: event.openedIn,
      };
    case 'failed':
      return { ...snapshot, status: 'failed', problem: event.problem };
    case 'history':
      return {
        ...snapshot,
        problem: undefined,
        messages: withHistory(
          messages.filter(({ key }) => key !== event.accepted),
          event.history,
        ),
      };
    case 'variables':
      return { ...snapshot, variables: event.variables };
    case 'queued':
      return { ...snapshot, messages: [...messages, queuedMessage(event)] };
    case 'sending':
      return {
        ...snapshot,
        status: 'replying',
        problem: undefined,
        messages: change(messages, event.key, { status: 'sending' }),
      };
    case 'delta':
    case 'function-call':
      return { ...snapshot, messages: growReply(messages, event) };
    case 'answered':
      return { ...snapshot, messages: completeReply(messages, event) };
    case 'send-failed':
      return {
        ...snapshot,
        status: snapshot.status === 'replying' ? 'ready' : snapshot.status,
        messages: change(withoutReply(messages, event.key), event.key, {
          status: 'failed',
          problem: event.problem,
        }),
      };
    case 'requeued':
      return { ...snapshot, messages: change(messages, event.key, { status: 'queued' }) };
    case 'settled':
      return { ...snapshot, status: 'ready' };
    case 'reset':
      return {
        ...emptySnapshot,
        messages: event.keepPending
          ? messages.filter(isUnsent).map((message) => ({ ...message, status: 'queued' as const }))
          : [],
      };
  }
}

function queuedMessage({ key, text }: { key: string; text: string }): Message {
  return { key, role: 'user', text, status: 'queued', functionCalls: [] };
}

/** The service's history, then what is still pending. Messages that already show keep their key. */
function withHistory(messages: readonly Message[], history: readonly HistoryItem[]): readonly Message[] {
  const shown = messages.filter((message) => !isPending(message) && message.status !== 'streaming');
  const confirmed = history.map((item, index): Message => {
    const before = shown[index];
    if (before?.role === item.role && before.text === item.content) return before;
    return {
      key: `history-${index}`,
      role: item.role,
      text: item.content,
      status: item.role === 'user' ? 'sent' : 'done',
      functionCalls: item.function_calls,
    };
  });
  return [...confirmed, ...messages.filter(isPending)];
}

function change(messages: readonly Message[], key: string, changes: Partial<Message>): readonly Message[] {
  return messages.map((message) => (message.key === key ? { ...message, ...changes } : message));
}

function replyKey(key: string): string {
  return `${key}-reply`;
}

function withoutReply(messages: readonly Message[], key: string): readonly Message[] {
  return messages.filter((message) => message.key !== replyKey(key));
}

/** The reply to a message stands right behind it, also while later messages are queued. */
function putReply(messages: readonly Message[], key: string, reply: Message): readonly Message[] {
  const others = withoutReply(messages, key);
  const index = others.findIndex((message) => message.key === key);
  return [...others.slice(0, index + 1), reply, ...others.slice(index + 1)];
}

function growReply(
  messages: readonly Message[],
  event: Extract<ConversationEvent, { type: 'delta' | 'function-call' }>,
): readonly Message[] {
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

function completeReply(
  messages: readonly Message[],
  { key, answer, timing }: Extract<ConversationEvent, { type: 'answered' }>,
): readonly Message[] {
  const sent = messages.map((message): Message => {
    if (message.key !== key) return message;
    const { role, text, functionCalls } = message;
    return { key, role, text, functionCalls, status: 'sent' };
  });
  // A person who took over answers later: then there is nothing to show yet.
  if (answer.message === '' && answer.function_calls.length === 0) return withoutReply(sent, key);
  return putReply(sent, key, {
    key: replyKey(key),
    role: 'assistant',
    text: answer.message,
    status: 'done',
    functionCalls: answer.function_calls,
    timing,
  });
}
