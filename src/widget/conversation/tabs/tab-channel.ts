import type { MessagingExports } from '../environment.ts';
import type { Message } from '../snapshot.ts';

/** A message between tabs. */
export type TabMessage =
  /** The stored conversation changed, for example its draft or its unread count. */
  | { readonly type: 'stored' }
  /** `forget()` was called. Pages other than the sender's learn it from the stored item. */
  | { readonly type: 'forgotten' }
  /** A message and its answer so far. */
  | { readonly type: 'streamed'; readonly conversationId: string; readonly messages: readonly Message[] };

/** Access to other tabs. Opens no channel until there are any. */
export interface TabSource {
  /** The key of the storage item that the tabs share. */
  readonly name: string;
  /** Whether the tabs share their storage, and not only its key. */
  readonly isShared: () => boolean;
  /** The unique name of this tab between `hold` and `release`. */
  readonly tab: () => string | undefined;
  /** Declares that this tab sends its pending messages, until `release` or until it closes. */
  readonly hold: () => void;
  readonly release: () => void;
  /**
   * Calls back when another tab writes to storage, and with `isSamePage` when another chat on the same page begins or has
   * begun to watch. `value` is the item that another tab has written. Returns an unsubscribe function.
   */
  readonly watch: (onWrite: (isSamePage: boolean, value?: string | null) => void) => () => void;
  /** Opens the channel to the other tabs. */
  readonly connect: (messaging: MessagingExports) => TabChannel;
}

/** The channel to other tabs with the same conversation. */
export interface TabChannel {
  /** Sends a message to all other tabs. */
  readonly post: (message: TabMessage) => void;
  /** Receives messages until `close`. `isSamePage` is true if another chat on the same page sent the message. */
  readonly listen: (onMessage: (message: TabMessage, isSamePage: boolean) => void) => void;
  readonly close: () => void;
  /**
   * Calls `claim` when a tab that called `hold` has closed. No other tab can claim its messages at the same time.
   *
   * @param onlyNow whether to return instead of waiting if the tab is still open
   * @returns whether it had closed
   * @throws {Error} if the channel is closed meanwhile
   */
  readonly onTabClosed: (tab: string, onlyNow: boolean, claim: () => void) => Promise<boolean>;
}
