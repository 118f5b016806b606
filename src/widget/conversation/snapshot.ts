import type { FunctionCall } from '../../client/chat-client.ts';
import type { Problem } from './problem.ts';
import type { Earlier } from './history/conversation-record.ts';

/** Where a conversation stands. An `ended` one takes no more messages: those that wait go along to a new one. */
export type ConversationStatus = 'idle' | 'opening' | 'ready' | 'replying' | 'ended' | 'failed';

/**
 * Where a message stands: a visitor's is `queued`, `sending`, then `sent` or `failed`; anyone else's is `streaming`,
 * then `done`.
 */
export type MessageStatus = 'queued' | 'sending' | 'sent' | 'failed' | 'streaming' | 'done';

export interface Message {
  /** Stays the same for as long as the message shows. A visitor's message sends it as its `Idempotency-Key`. */
  readonly key: string;
  readonly role: 'assistant' | 'user' | 'system';
  readonly text: string;
  readonly status: MessageStatus;
  /** What the assistant did for this answer. Those with `client` ask for a function of the page. */
  readonly functionCalls: readonly FunctionCall[];
  /** When it was written, milliseconds since 1970; absent where the service does not say. */
  readonly at?: number | undefined;
  /** Set on an answer that the visitor stopped: its text may end anywhere. */
  readonly isStopped?: true;
  /** Why a `failed` message failed; on one that waits again, why the try before did. */
  readonly problem?: Problem;
  /** Set on a `failed` message that the service may hold all the same: it cannot be taken back. */
  readonly outcomeUnknown?: boolean;
  /** Milliseconds from sending to the first piece of the answer, and to its end. */
  readonly timing?: { readonly first: number; readonly total: number };
}

/** What the visitor decided in a conversation. */
export interface Choices {
  /** What the visitor thinks of answers, each by a name of its own. */
  readonly ratings?: Readonly<Record<string, 'up' | 'down'>> | undefined;
  /** Names of functions of the page that run without another question. */
  readonly allowedTools?: readonly string[] | undefined;
  /** What came of the calls of the last message that had any, each by a name of its own. */
  readonly toolOutcomes?: Readonly<Record<string, 'done' | 'denied' | 'failed'>> | undefined;
}

/** All that the panel shows, frozen. */
export interface Snapshot {
  readonly status: ConversationStatus;
  readonly conversationId: string | undefined;
  readonly messages: readonly Message[];
  /** Set where the service has messages before these. */
  readonly earlier?: Earlier | undefined;
  /** Messages of the assistant's, a person's or the service's that came while nobody looked. */
  readonly unread: number;
  /** False while a person has taken over and the assistant keeps silent. */
  readonly aiEnabled: boolean;
  /** Why the conversation as a whole cannot go on. */
  readonly problem: Problem | undefined;
  /** The assistant's variables with the site's laid over them, where the service tells. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Kept with the conversation. Readers check it: another version may have written it. */
  readonly choices: Choices | undefined;
  /** Milliseconds that opening took. */
  readonly openedIn: number | undefined;
}

export const emptySnapshot: Snapshot = Object.freeze({
  status: 'idle',
  conversationId: undefined,
  messages: [],
  unread: 0,
  aiEnabled: true,
  problem: undefined,
  variables: undefined,
  choices: undefined,
  openedIn: undefined,
});

/** Whether a visitor's message has not reached the service yet, as far as is known. */
export function isPending(message: Message): boolean {
  return message.role === 'user' && message.status !== 'sent';
}

/** Whether a visitor's message is still to be sent: one that was refused for what it says would be refused again. */
export function isUnsent(message: Message): boolean {
  return isPending(message) && message.problem?.code !== 'invalid-request';
}

/** Counts the messages that the visitor did not write. */
export function countReceived(messages: readonly Message[]): number {
  return messages.filter(({ status }) => status === 'done').length;
}
