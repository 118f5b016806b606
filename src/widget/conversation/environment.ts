import type { ConversationClient } from '../../client/chat-client.ts';
import type { Problem } from './problem.ts';
import type * as messaging from './messaging-exports.ts';
import type { ConversationStore } from './storage/conversation-store.ts';
import type { PendingDeletions } from './storage/pending-deletions.ts';
import type { TabSource } from './tabs/tab-channel.ts';

/** The lazily loaded part of a conversation. */
export type MessagingExports = typeof messaging;

/** The dependencies of a conversation. */
export interface Environment {
  readonly client: ConversationClient;
  readonly store: ConversationStore;
  readonly pendingDeletions: PendingDeletions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isOnline: () => boolean;
  /** Returns an unguessable key for a message. */
  readonly newKey: () => string;
  /**
   * Loads the lazy part of a conversation: sending, updates, deletion and other tabs.
   *
   * @throws {ChatError} `network` if it cannot be loaded; a later call tries again
   */
  readonly loadMessaging: () => Promise<MessagingExports>;
  /** Resolves when the page is idle. */
  readonly idle: () => Promise<unknown>;
  /** Access to other tabs with the same conversation; undefined if there can be none. */
  readonly tabs?: TabSource | undefined;
}

/** Callbacks of a conversation. */
export interface ConversationListener {
  /** The snapshot or the draft changed. */
  onChange: () => void;
  onReady: (conversationId: string, resumed: boolean) => void;
  onSent: (text: string) => void;
  /**
   * @param text undefined for an answer that another tab has received and reported
   * @param latency milliseconds; undefined for an answer that was not streamed to this page
   */
  onAnswer: (text: string | undefined, latency: number | undefined) => void;
  onProblem: (problem: Problem) => void;
  /** `forget()` was called in this tab or in another one. */
  onForget?: () => void;
  /** The visitor opened or closed the panel in another tab. */
  onOpenChange?: (isOpen: boolean) => void;
}
