import type { Problem } from './problem.ts';
import type { Session } from './history/session.ts';
import { emptySnapshot, heardIn, isUnsent, type Choices, type Message, type Snapshot } from './snapshot.ts';

/** What happens to a conversation. */
export type ConversationEvent =
  | { readonly type: 'opening' }
  | {
      readonly type: 'opened';
      readonly conversationId: string;
      readonly session: Session;
      readonly messages: readonly Message[];
      readonly openedIn: number;
      /** How many messages that the visitor did not write were seen before; undefined for a new one. */
      readonly seen: number | undefined;
    }
  | { readonly type: 'failed'; readonly problem: Problem }
  /** The conversation as the service has it now: the truth about everything but what is still pending. */
  | { readonly type: 'history'; readonly session: Session; readonly messages: readonly Message[] }
  | { readonly type: 'variables'; readonly variables: Readonly<Record<string, unknown>> | undefined }
  | { readonly type: 'queued'; readonly key: string; readonly text: string; readonly at: number }
  | { readonly type: 'sending'; readonly key: string }
  /** There is more of a reply, or all of it; a piece alone is nothing to keep. */
  | {
      readonly type: 'reply';
      readonly messages: readonly Message[];
      readonly isPiece: boolean;
      readonly aiEnabled?: boolean | undefined;
    }
  /** The service took the message in, and nobody knows when the answer comes. */
  | { readonly type: 'late'; readonly key: string }
  | {
      readonly type: 'send-failed';
      readonly key: string;
      readonly problem: Problem;
      readonly fateUnknown: boolean;
    }
  | { readonly type: 'requeued'; readonly key: string }
  | { readonly type: 'taken-back'; readonly key: string }
  /** The answer is there, or there is none to wait for. */
  | { readonly type: 'settled' }
  /** The service takes no more messages for this conversation. */
  | { readonly type: 'ended'; readonly problem: Problem }
  | { readonly type: 'unread'; readonly unread: number }
  | { readonly type: 'chosen'; readonly choices: Choices | undefined }
  /** Nothing is left of the conversation but what the visitor wrote and nobody has read. */
  | { readonly type: 'reset'; readonly keepPending: boolean };

/** The next snapshot. Pure: the same snapshot and event always give the same. */
export function reduce(snapshot: Snapshot, event: ConversationEvent): Snapshot {
  const { messages } = snapshot;
  switch (event.type) {
    case 'opening':
      return { ...snapshot, status: 'opening', problem: undefined };
    case 'opened': {
      const heard = heardIn(event.messages);
      return {
        ...withSession({ ...snapshot, status: 'ready' }, event),
        unread: Math.max(0, heard - (event.seen ?? heard)),
        conversationId: event.conversationId,
        openedIn: event.openedIn,
      };
    }
    case 'failed':
      return { ...snapshot, status: 'failed', problem: event.problem };
    case 'history':
      return withSession(snapshot, event);
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
    case 'reply':
      return { ...snapshot, messages: event.messages, aiEnabled: event.aiEnabled ?? snapshot.aiEnabled };
    case 'late':
      return { ...settled(snapshot), messages: change(messages, event.key, { status: 'sent' }) };
    case 'send-failed': {
      const { key, problem, fateUnknown } = event;
      return {
        ...settled(snapshot),
        messages: change(
          messages.filter(({ status }) => status !== 'streaming'),
          key,
          { status: 'failed', problem, fateUnknown },
        ),
      };
    }
    case 'requeued':
      return { ...snapshot, messages: change(messages, event.key, { status: 'queued' }) };
    case 'taken-back':
      return { ...snapshot, messages: messages.filter(({ key }) => key !== event.key) };
    case 'settled':
      return settled(snapshot);
    case 'ended':
      return { ...snapshot, status: 'ended', problem: event.problem };
    case 'unread':
      return { ...snapshot, unread: event.unread };
    case 'chosen':
      return { ...snapshot, choices: event.choices };
    case 'reset':
      return { ...emptySnapshot, messages: event.keepPending ? messages.filter(isUnsent).map(requeued) : [] };
  }
}

/** The same, with what has come between two snapshots of an open conversation as unread. */
export function withUnread(before: Snapshot, after: Snapshot): Snapshot {
  if (before.conversationId !== after.conversationId) return after;
  const come = heardIn(after.messages) - heardIn(before.messages);
  return { ...after, unread: Math.max(0, after.unread + come) };
}

/** The service says whether the conversation goes on, and who answers; where it does not, all is as usual. */
function withSession(
  snapshot: Snapshot,
  { session, messages }: { readonly session: Session; readonly messages: readonly Message[] },
): Snapshot {
  const { variables, aiEnabled, ended } = session;
  return {
    ...snapshot,
    status: ended ? 'ended' : snapshot.status,
    messages,
    // Later histories begin later; what shows stays.
    earlier: (snapshot.conversationId ? snapshot : session).earlier,
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

function queuedMessage({ key, text, at }: { key: string; text: string; at: number }): Message {
  return { key, role: 'user', text, status: 'queued', functionCalls: [], at };
}

function requeued(message: Message): Message {
  return { ...message, status: 'queued' };
}
