import type { ConversationClient } from '../../client/chat-client.ts';
import type { ConversationStore } from './storage/conversation-store.ts';
import type { Forgotten } from './storage/forgotten.ts';
import type { Problem } from './problem.ts';
import type { TabSource } from './tabs/tab-channel.ts';

/** What a conversation needs of the world around it. */
export interface ConversationWorld {
  readonly client: ConversationClient;
  readonly store: ConversationStore;
  readonly forgotten: Forgotten;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isOnline: () => boolean;
  /** An unguessable key for a message. */
  readonly newKey: () => string;
  /** The way to other tabs with the same conversation, where there may be any. */
  readonly tabs?: TabSource | undefined;
}

/** What a conversation tells, apart from its snapshots. */
export interface ConversationListener {
  onChange: () => void;
  onReady: (conversationId: string, resumed: boolean) => void;
  onSent: (text: string) => void;
  onAnswer: (text: string, latency: number | undefined) => void;
  onProblem: (problem: Problem) => void;
  /** The visitor opened or closed the panel in another tab. */
  onOpenChange?: (isOpen: boolean) => void;
}
