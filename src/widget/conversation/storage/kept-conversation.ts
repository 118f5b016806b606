import type { ToolResult } from '../../../client/chat-client.ts';
import type { Choices } from '../snapshot.ts';

/** What goes with a message: values of the page's, which the service checks. */
export interface Luggage {
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly toolResults?: readonly ToolResult[] | undefined;
}

/** What was true when a message was first sent: by that it is looked up, and sent the same way again. */
export interface Attempt {
  /** How many messages of the visitor the history held. */
  readonly sentAfter: number;
  /** Fingerprints of the last of them: a service may give no more than the end of its history. */
  readonly prints: readonly string[];
  /** When it was last known to be on its way, milliseconds since 1970. */
  readonly at: number;
  readonly luggage?: Luggage;
}

/** A visitor's message that the service has not confirmed. */
export interface PendingMessage {
  readonly key: string;
  readonly text: string;
  /** When it was written, milliseconds since 1970. */
  readonly at: number;
  /** The tab that sends it. */
  readonly tab?: string | undefined;
  /** Absent while it was never sent, and where the service refused it. */
  readonly attempt?: Attempt | undefined;
}

/** What a browser keeps of a conversation. The history itself stays with the service. */
export interface KeptConversation {
  readonly conversationId?: string | undefined;
  readonly draft: string;
  readonly pending: readonly PendingMessage[];
  /** What goes with the next message. */
  readonly luggage?: Luggage | undefined;
  /** Of an opening that was not confirmed. */
  readonly openingKey?: string | undefined;
  /** How many messages that the visitor did not write were seen, and how many were not. */
  readonly seen?: number | undefined;
  readonly unread?: number | undefined;
  readonly isOpen?: boolean | undefined;
  readonly choices?: Choices | undefined;
}

export const nothingKept: KeptConversation = { draft: '', pending: [] };

/**
 * Reads what was written, perhaps by another version or another hand: every part counts as far as it makes sense.
 *
 * @throws {SyntaxError} when it is no JSON
 */
export function parseKept(json: string): KeptConversation & { readonly keptAt?: number } {
  const { conversationId, draft, pending, ...others } = {
    ...(JSON.parse(json) as Partial<KeptConversation> | null),
  };
  return {
    ...others,
    ...(typeof conversationId === 'string' && { conversationId }),
    draft: typeof draft === 'string' ? draft : '',
    pending: Array.isArray(pending) ? pending.filter(isPendingMessage) : [],
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
