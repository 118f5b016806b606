import type { Problem } from './problem.ts';
import {
  change,
  completeReply,
  confirm,
  growReply,
  stopReply,
  withoutReply,
  type Reply,
  type ReplyPiece,
} from './reply.ts';
import type { Session } from './session.ts';
import { emptySnapshot, isUnsent, type Message, type Snapshot } from './snapshot.ts';
import { withHistory } from './with-history.ts';

/** What happens to a conversation. */
export type ConversationEvent =
  | { readonly type: 'opening' }
  | {
      readonly type: 'opened';
      readonly conversationId: string;
      readonly session: Session;
      readonly openedIn: number;
      /** Whether it began just now, and is not one of an earlier visit. */
      readonly isNew: boolean;
    }
  | { readonly type: 'failed'; readonly problem: Problem }
  /** The conversation as the service has it now: the truth about everything but what is still pending. */
  | { readonly type: 'history'; readonly session: Session; readonly accepted?: string }
  | { readonly type: 'variables'; readonly variables: Readonly<Record<string, unknown>> | undefined }
  | { readonly type: 'queued'; readonly key: string; readonly text: string; readonly at: number }
  | { readonly type: 'sending'; readonly key: string }
  | ReplyPiece
  | ({ readonly type: 'answered' } & Reply)
  /** The visitor wanted no more of the answer. */
  | { readonly type: 'stopped'; readonly key: string; readonly at: number }
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
        ...withSession({ ...snapshot, status: 'ready' }, event.session),
        conversationId: event.conversationId,
        openedIn: event.openedIn,
      };
    case 'failed':
      return { ...snapshot, status: 'failed', problem: event.problem };
    case 'history': {
      const others = messages.filter(({ key }) => key !== event.accepted);
      return withSession({ ...snapshot, messages: others }, event.session);
    }
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
      return {
        ...snapshot,
        messages: completeReply(messages, event),
        aiEnabled: event.answer.ai_enabled ?? snapshot.aiEnabled,
      };
    case 'stopped':
      return { ...snapshot, messages: stopReply(messages, event.key, event.at) };
    case 'late':
      return { ...settled(snapshot), messages: confirm(messages, event.key) };
    case 'send-failed': {
      const { key, problem, fateUnknown } = event;
      return {
        ...settled(snapshot),
        messages: change(withoutReply(messages, key), key, { status: 'failed', problem, fateUnknown }),
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
    case 'reset':
      return { ...emptySnapshot, messages: event.keepPending ? messages.filter(isUnsent).map(requeued) : [] };
  }
}

/** The service says whether the conversation goes on, and who answers; where it does not, all is as usual. */
function withSession(snapshot: Snapshot, { history, variables, aiEnabled, ended }: Session): Snapshot {
  return {
    ...snapshot,
    status: ended ? 'ended' : snapshot.status,
    messages: withHistory(snapshot.messages, history),
    problem: ended,
    variables,
    aiEnabled,
  };
}

function settled(snapshot: Snapshot): Snapshot {
  return snapshot.status === 'replying' ? { ...snapshot, status: 'ready' } : snapshot;
}

function queuedMessage({ key, text, at }: { key: string; text: string; at: number }): Message {
  return { key, role: 'user', text, status: 'queued', functionCalls: [], at };
}

function requeued(message: Message): Message {
  return { ...message, status: 'queued' };
}
