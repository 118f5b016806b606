import type { Message } from '../snapshot.ts';

/** What one tab tells the others. */
export type TabMessage =
  /** Something in storage is different: another draft, another conversation, something read or forgotten. */
  | { readonly type: 'kept' }
  /** A message and its reply, as far as it has come. */
  | { readonly type: 'live'; readonly conversationId: string; readonly messages: readonly Message[] };

/** What a tab has until it hears of another one. */
export interface TabSource {
  /** This tab among all that there ever were, from `hold` to `release`. */
  readonly tab: () => string | undefined;
  /** Until `release`, or until it goes away, this tab answers for what it has not sent yet. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Calls back when another tab writes to storage; gives what ends that. */
  readonly watch: (onWrite: () => void) => () => void;
  /** Loads the way to the others. */
  readonly connect: () => Promise<TabChannel>;
}

/** The way to the other tabs that show the same conversation. */
export interface TabChannel {
  /** Tells all others. */
  readonly post: (message: TabMessage) => void;
  /** Hears what the others tell, until `close`; and whether it was another chat of the same page that told. */
  readonly listen: (hear: (message: TabMessage, isSamePage?: boolean) => void) => void;
  readonly close: () => void;
  /**
   * Takes over what a tab that held has left when it is gone, and nobody else can meanwhile. With `isAsked` only if it
   * is gone already; gives whether it was.
   *
   * @throws {Error} when it was closed meanwhile
   */
  readonly whenGone: (tab: string, isAsked: boolean, takeOver: () => void) => Promise<boolean>;
}
