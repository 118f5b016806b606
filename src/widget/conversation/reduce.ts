import type { AnsweredMessage, FunctionCall } from '../../client/chat-client.ts';
import type { ConversationRecord } from './history/request-conversation.ts';
import { mergeHistory } from './history/merge-history.ts';
import type { Problem } from './problem.ts';
import { countReceived, isPending, isUnsent, type Choices, type Message, type Snapshot } from './snapshot.ts';

/** A visitor's message as it enters the queue. */
export interface QueuedMessage {
  readonly key: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An event of a conversation. */
export type ConversationEvent =
  /** The state that an earlier visit stored. */
  | {
      readonly type: 'restored';
      readonly pending: readonly QueuedMessage[];
      readonly unread: number;
      readonly choices: Choices | undefined;
    }
  /** Messages of the conversation that the visitor left; the unsent ones move to this one. */
  | { readonly type: 'carried-over'; readonly messages: readonly Message[] }
  /** No conversation may open before the visitor has completed the gate. */
  | { readonly type: 'gate-closed' }
  | { readonly type: 'opening' }
  | {
      readonly type: 'opened';
      readonly conversationId: string;
      readonly record: ConversationRecord;
      /** Milliseconds that opening took. */
      readonly openedIn: number;
      /** Number of received messages that were read before; undefined for a new conversation. */
      readonly seen: number | undefined;
    }
  | { readonly type: 'failed'; readonly problem: Problem }
  /** The service returned the conversation. `arrived` are keys of pending messages that it contains. */
  | {
      readonly type: 'history';
      readonly record: ConversationRecord;
      readonly arrived?: readonly string[];
    }
  | { readonly type: 'variables'; readonly variables: Readonly<Record<string, unknown>> | undefined }
  | ({ readonly type: 'queued' } & QueuedMessage)
  | { readonly type: 'sending'; readonly key: string }
  /** A chunk of the answer's text. */
  | { readonly type: 'delta'; readonly key: string; readonly text: string }
  /** A tool was called, or has returned: then the event repeats the call with its result. */
  | { readonly type: 'function-call'; readonly key: string; readonly call: FunctionCall }
  | {
      readonly type: 'answered';
      readonly key: string;
      readonly answer: AnsweredMessage;
      /** Milliseconds since 1970. */
      readonly at: number;
      readonly timing: { readonly first: number; readonly total: number };
    }
  /** The visitor stopped the answer. */
  | { readonly type: 'stopped'; readonly key: string; readonly at: number }
  /** The service accepted the message but has not answered yet. */
  | { readonly type: 'late'; readonly key: string }
  | {
      readonly type: 'send-failed';
      readonly key: string;
      readonly problem: Problem;
      readonly outcomeUnknown: boolean;
    }
  | { readonly type: 'requeued'; readonly key: string }
  | { readonly type: 'removed'; readonly keys: readonly string[] }
  /** Another tab streams an answer: the visitor's message, and the answer so far. */
  | { readonly type: 'streamed-elsewhere'; readonly messages: readonly Message[] }
  /** The exchange is over. */
  | { readonly type: 'settled' }
  /** The service accepts no more messages for this conversation. */
  | { readonly type: 'ended'; readonly problem: Problem }
  | { readonly type: 'unread'; readonly unread: number }
  | { readonly type: 'chosen'; readonly choices: Choices | undefined }
  /** A call has begun; without one, it has ended. */
  | { readonly type: 'call'; readonly call: object | undefined };

/** Whether an event is a chunk of a streamed answer. Chunks are neither stored nor counted. */
export function isChunk({ type }: ConversationEvent): boolean {
  return type === 'delta' || type === 'function-call' || type === 'streamed-elsewhere';
}

/**
 * Returns the next snapshot. Pure: the same arguments always give the same result.
 *
 * @param isRead whether the visitor sees the conversation; if not, new messages count as unread
 */
export function reduce(snapshot: Snapshot, event: ConversationEvent, isRead: boolean): Snapshot {
  const next = applyEvent(snapshot, event);
  if (isRead || isChunk(event) || next.conversationId !== snapshot.conversationId) return next;
  const received = countReceived(next.messages) - countReceived(snapshot.messages);
  return received === 0 ? next : { ...next, unread: Math.max(0, next.unread + received) };
}

function applyEvent(snapshot: Snapshot, event: ConversationEvent): Snapshot {
  const { messages } = snapshot;
  switch (event.type) {
    case 'restored':
      return {
        ...snapshot,
        messages: [...messages, ...event.pending.map(queuedMessage)],
        unread: event.unread,
        choices: event.choices,
      };
    case 'carried-over':
      return {
        ...snapshot,
        messages: event.messages.filter(isUnsent).map((message) => ({ ...message, status: 'queued' })),
      };
    case 'gate-closed':
      return { ...snapshot, status: 'idle', problem: undefined };
    case 'opening':
      return { ...snapshot, status: 'opening', problem: undefined };
    case 'opened': {
      const opened = withRecord({ ...snapshot, status: 'ready' }, event.record, messages);
      const received = countReceived(opened.messages);
      return {
        ...opened,
        unread: Math.max(0, received - (event.seen ?? received)),
        conversationId: event.conversationId,
        openedIn: event.openedIn,
      };
    }
    case 'failed':
      return { ...snapshot, status: 'failed', problem: event.problem };
    case 'history':
      return withRecord(snapshot, event.record, without(messages, event.arrived ?? []));
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
      return {
        ...snapshot,
        messages: growReply(messages, event.key, (reply) => ({ text: reply.text + event.text })),
      };
    case 'function-call':
      return {
        ...snapshot,
        messages: growReply(messages, event.key, ({ functionCalls }) => ({
          functionCalls: withCall(functionCalls, event.call),
        })),
      };
    case 'answered':
      return {
        ...snapshot,
        messages: completeReply(messages, event),
        aiEnabled: event.answer.ai_enabled ?? snapshot.aiEnabled,
      };
    case 'stopped': {
      const end = { status: 'done', isStopped: true, at: event.at } as const;
      return { ...snapshot, messages: change(confirm(messages, event.key), replyKey(event.key), end) };
    }
    case 'late':
      return { ...settled(snapshot), messages: confirm(messages, event.key) };
    case 'send-failed': {
      const { key, problem, outcomeUnknown } = event;
      const others = withoutReply(messages, key);
      return {
        ...settled(snapshot),
        messages: change(others, key, { status: 'failed', problem, outcomeUnknown }),
      };
    }
    case 'requeued':
      return { ...snapshot, messages: change(messages, event.key, { status: 'queued' }) };
    case 'removed':
      return { ...snapshot, messages: without(messages, event.keys) };
    case 'streamed-elsewhere':
      return { ...snapshot, messages: event.messages.reduce(putBeforePending, messages) };
    case 'settled':
      return settled(snapshot);
    case 'ended':
      return { ...snapshot, status: 'ended', problem: event.problem };
    case 'unread':
      return { ...snapshot, unread: event.unread };
    case 'chosen':
      return { ...snapshot, choices: event.choices };
    case 'call':
      return { ...snapshot, call: event.call };
  }
}

/** Applies a record of the service, which decides whether the conversation continues and who answers. */
function withRecord(snapshot: Snapshot, record: ConversationRecord, messages: readonly Message[]): Snapshot {
  const { variables, aiEnabled, ended, history } = record;
  return {
    ...snapshot,
    status: ended ? 'ended' : snapshot.status,
    messages: mergeHistory(messages, history),
    // A later response may contain a shorter history; the messages before it stay visible.
    earlier: (snapshot.conversationId ? snapshot : record).earlier,
    problem: ended,
    variables,
    aiEnabled,
  };
}

function settled(snapshot: Snapshot): Snapshot {
  return snapshot.status === 'replying' ? { ...snapshot, status: 'ready' } : snapshot;
}

function change(messages: readonly Message[], key: string, changes: Partial<Message>): readonly Message[] {
  return messages.map((message) => (message.key === key ? { ...message, ...changes } : message));
}

/** Removes messages and their partial answers. */
function without(messages: readonly Message[], keys: readonly string[]): readonly Message[] {
  const removed = new Set([...keys, ...keys.map(replyKey)]);
  return messages.filter(({ key }) => !removed.has(key));
}

/** Removes the answer to a message, so far. Answers that other tabs stream stay. */
function withoutReply(messages: readonly Message[], key: string): readonly Message[] {
  return messages.filter((message) => message.key !== replyKey(key));
}

function queuedMessage({ key, text, at }: QueuedMessage): Message {
  return { key, role: 'user', text, status: 'queued', functionCalls: [], at };
}

function replyKey(key: string): string {
  return `${key}-reply`;
}

/** Marks a message as accepted by the service, and removes its earlier failure. */
function confirm(messages: readonly Message[], confirmed: string): readonly Message[] {
  return messages.map((message): Message => {
    if (message.key !== confirmed) return message;
    const { key, role, text, functionCalls, at } = message;
    return { key, role, text, functionCalls, at, status: 'sent' };
  });
}

/** Applies a chunk. The first one proves that the message arrived; later ones search the list from its end. */
function growReply(
  messages: readonly Message[],
  key: string,
  changes: (reply: Message) => Partial<Message>,
): readonly Message[] {
  const at = messages.findLastIndex((message) => message.key === replyKey(key));
  const reply = messages[at];
  if (reply !== undefined) return messages.with(at, { ...reply, ...changes(reply) });
  const first: Message = {
    key: replyKey(key),
    role: 'assistant',
    text: '',
    status: 'streaming',
    functionCalls: [],
  };
  return putReply(change(messages, key, { status: 'sent' }), key, { ...first, ...changes(first) });
}

function completeReply(
  messages: readonly Message[],
  { key, answer, at, timing }: Extract<ConversationEvent, { type: 'answered' }>,
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

/** Whether an answer has nothing to show. */
export function isEmpty({ message, function_calls }: AnsweredMessage): boolean {
  return !message.trim() && function_calls.length === 0;
}

/** Inserts a reply right after its message, before queued messages. */
function putReply(messages: readonly Message[], key: string, reply: Message): readonly Message[] {
  const others = withoutReply(messages, key);
  return others.toSpliced(others.findIndex((message) => message.key === key) + 1, 0, reply);
}

/** Replaces a message, or inserts it before the pending ones. */
function putBeforePending(messages: readonly Message[], message: Message): readonly Message[] {
  const at = messages.findIndex(({ key }) => key === message.key);
  if (at >= 0) return messages.with(at, message);
  const end = messages.findIndex(isPending);
  return messages.toSpliced(end < 0 ? messages.length : end, 0, message);
}

/** Adds a call or its result: the service reports each call at its start, and again with its result. */
function withCall(calls: readonly FunctionCall[], call: FunctionCall): readonly FunctionCall[] {
  const index = calls.findIndex(
    ({ name, result, arguments: given }) =>
      call.result !== undefined &&
      name === call.name &&
      result === undefined &&
      JSON.stringify(given) === JSON.stringify(call.arguments),
  );
  return index < 0 ? [...calls, call] : calls.with(index, call);
}
