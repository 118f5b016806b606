import type { ToolResult } from '../../../client/chat-client.ts';
import type { Choices } from '../snapshot.ts';

/** Data of the page that is sent with a message. */
export interface Extras {
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly toolResults?: readonly ToolResult[] | undefined;
}

/** How a message was first sent: identifies the message in a history, and lets a retry repeat the same request. */
export interface Attempt {
  /** Number of the visitor's messages that were sent before. */
  readonly sentAfter: number;
  /** Fingerprints of the last of them: a service may return only the end of its history. */
  readonly prints: readonly string[];
  /** When it may last have been in flight, milliseconds since 1970. */
  readonly at: number;
  readonly extras?: Extras;
}

/** A visitor's message that the service has not confirmed. */
export interface PendingMessage {
  readonly key: string;
  readonly text: string;
  /** When it was written, milliseconds since 1970. */
  readonly at: number;
  /** The tab that sends it. */
  readonly tab?: string | undefined;
  /** Absent if it was never sent, or the service refused it. */
  readonly attempt?: Attempt | undefined;
}

/** The part of a conversation that the browser stores. The history itself stays with the service. */
export interface StoredConversation {
  readonly conversationId?: string | undefined;
  readonly draft: string;
  readonly pending: readonly PendingMessage[];
  /** Results of page tools, to send with the next message. */
  readonly toolResults?: readonly ToolResult[] | undefined;
  /** Idempotency key of an opening that was not confirmed. */
  readonly openingKey?: string | undefined;
  /** Number of received messages that were read. */
  readonly seen?: number | undefined;
  /** Number of received messages that were not read. */
  readonly unread?: number | undefined;
  readonly isOpen?: boolean | undefined;
  readonly choices?: Choices | undefined;
  /** Until when a hidden chat waits for updates, milliseconds since 1970. */
  readonly followUntil?: number | undefined;
}

export const nothingStored: StoredConversation = { draft: '', pending: [] };

/**
 * Parses a stored conversation. Another version of the widget may have written it: invalid parts are left out.
 *
 * @throws {SyntaxError} if it is not JSON
 */
export function parseStored(json: string): StoredConversation & { readonly keptAt?: number } {
  const { conversationId, draft, pending, toolResults, ...others } = {
    ...(JSON.parse(json) as Partial<StoredConversation> | null),
  };
  return {
    ...others,
    ...(typeof conversationId === 'string' && { conversationId }),
    draft: typeof draft === 'string' ? draft : '',
    pending: Array.isArray(pending) ? pending.filter(isPendingMessage) : [],
    ...(Array.isArray(toolResults) && { toolResults }),
  };
}

function isPendingMessage(value: Partial<PendingMessage> | null): value is PendingMessage {
  return (
    typeof value?.key === 'string' &&
    typeof value.text === 'string' &&
    typeof value.at === 'number' &&
    (value.attempt === undefined || Array.isArray((value.attempt as Partial<Attempt> | null)?.prints))
  );
}
