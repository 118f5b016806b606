import type { HistoryEvent } from '../../contract/chat-endpoints.ts';
import type { FunctionCall } from '../../client/chat-client.ts';
import type { Problem } from './problem.ts';
import type { Earlier } from './history/request-conversation.ts';

/** The state of a conversation. Once `ended`, it accepts no more messages; pending ones move to a new conversation. */
export type ConversationStatus = 'idle' | 'opening' | 'ready' | 'replying' | 'ended' | 'failed';

/**
 * The state of a message. A visitor's message is `queued`, `sending`, then `sent` or `failed`; any other message is
 * `streaming`, then `done`.
 */
export type MessageStatus = 'queued' | 'sending' | 'sent' | 'failed' | 'streaming' | 'done';

export interface Message {
  /** Constant while the message is shown. For a visitor's message, also its `Idempotency-Key`. */
  readonly key: string;
  readonly role: 'assistant' | 'user' | 'system';
  readonly text: string;
  /** The event that a `system` message reports; its text says so in English. */
  readonly event?: HistoryEvent;
  /** Of the call that has ended, in seconds. */
  readonly duration?: number;
  /** The name of the person who wrote it instead of the assistant. */
  readonly author?: string;
  readonly status: MessageStatus;
  /** The functions that the assistant called for this answer. Those with `client` are page tools. */
  readonly functionCalls: readonly FunctionCall[];
  /** When it was written, milliseconds since 1970; undefined if the service does not say. */
  readonly at?: number | undefined;
  /** Whether it is still being spoken, and its words may change. */
  readonly isProvisional?: boolean;
  /** Set on an answer that the visitor stopped: its text may be incomplete. */
  readonly isStopped?: true;
  /** Why sending failed; on a queued message, why the previous attempt failed. */
  readonly problem?: Problem;
  /** Set on a `failed` message that the service may have received: it cannot be taken back. */
  readonly outcomeUnknown?: boolean;
  /** Milliseconds from sending to the first chunk of the answer, and to its end. */
  readonly timing?: { readonly first: number; readonly total: number };
}

/** Ratings, consents, tool outcomes and answered questions, stored with the conversation. */
export interface Choices {
  /** Ratings of answers, by a name that identifies the answer. */
  readonly ratings?: Readonly<Record<string, 'up' | 'down'>> | undefined;
  /** Names of the page tools that may run without consent. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Outcomes of page tool calls that the visitor's next message reports, by the ID of the call. */
  readonly toolOutcomes?: Readonly<Record<string, 'done' | 'denied' | 'failed'>> | undefined;
  /** Names of the variables that the visitor has set in the page's form. */
  readonly answered?: readonly string[] | undefined;
}

/** The state of a conversation that the panel renders, frozen. */
export interface Snapshot {
  readonly status: ConversationStatus;
  readonly conversationId: string | undefined;
  readonly messages: readonly Message[];
  /** Set if the service has messages before these. */
  readonly earlier?: Earlier | undefined;
  /** Number of received messages that the visitor has not seen. */
  readonly unread: number;
  /** False during a human handoff. */
  readonly aiEnabled: boolean;
  /** Why the conversation as a whole cannot continue. */
  readonly problem: Problem | undefined;
  /** The assistant's variables, overridden by the site's; undefined if the service does not return them. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Stored with the conversation. Readers validate it: another version may have written it. */
  readonly choices: Choices | undefined;
  /** Milliseconds that opening took. */
  readonly openedIn: number | undefined;
  /** Identifies the call in progress, in this tab or another one. It shows its messages as they are spoken. */
  readonly call?: object | undefined;
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

/** Whether a visitor's message is not known to have reached the service. */
export function isPending(message: Message): boolean {
  return message.role === 'user' && message.status !== 'sent';
}

/** Whether a visitor's message is still to be sent. Messages refused for their content would be refused again. */
export function isUnsent(message: Message): boolean {
  return isPending(message) && message.problem?.code !== 'invalid-request';
}

/** Counts the messages that the visitor did not write. The end of a call is no news. */
export function countReceived(messages: readonly Message[]): number {
  return messages.filter(({ status, event }) => status === 'done' && event !== 'call_ended').length;
}
