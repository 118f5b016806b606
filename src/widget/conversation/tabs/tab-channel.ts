import type { Message } from '../snapshot.ts';

/** A message between tabs. */
export type TabMessage =
  /** The stored conversation changed: the draft, the conversation's ID, what was read. */
  | { readonly type: 'stored' }
  /** A message and its answer so far. */
  | { readonly type: 'streamed'; readonly conversationId: string; readonly messages: readonly Message[] };

/** Access to other tabs, which costs next to nothing until there are any. */
export interface TabSource {
  /** The unique name of this tab between `hold` and `release`. */
  readonly tab: () => string | undefined;
  /** Declares that this tab is going to send its pending messages, until `release` or until it closes. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Calls back when another tab writes to storage. Returns an unsubscribe function. */
  readonly watch: (onWrite: () => void) => () => void;
  /** Opens the channel to the other tabs. */
  readonly connect: () => Promise<TabChannel>;
  /** Reserves a name for this tab until it closes. Returns false if another tab has it. */
  readonly claim: (name: string) => Promise<boolean>;
  /**
   * Runs a task while no other tab runs one of that name; waits for its turn.
   *
   * @throws {DOMException} `AbortError` if the signal aborts before its turn
   */
  readonly exclusively: (name: string, signal: AbortSignal, task: () => Promise<void>) => Promise<void>;
}

/** The channel to other tabs with the same conversation. */
export interface TabChannel {
  /** Sends a message to all other tabs. */
  readonly post: (message: TabMessage) => void;
  /** Receives messages until `close`; `isSamePage` if another chat of the same page sent one. */
  readonly listen: (onMessage: (message: TabMessage, isSamePage?: boolean) => void) => void;
  readonly close: () => void;
  /**
   * Calls `takeOver` when a tab that held is gone, while no other tab can do the same.
   *
   * @param onlyNow whether to return instead of waiting if the tab is still there
   * @returns whether it was gone
   * @throws {Error} if the channel is closed meanwhile
   */
  readonly whenGone: (tab: string, onlyNow: boolean, takeOver: () => void) => Promise<boolean>;
}
