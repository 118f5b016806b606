import type { ConversationWorld } from '../conversation-world.ts';
import type { KeptConversation, PendingMessage } from '../storage/kept-conversation.ts';
import type { Outbox, OutboxConversation } from '../sending/outbox.ts';
import { readSession } from '../history/session.ts';
import { heardIn, isPending, type Message } from '../snapshot.ts';
import type { TabChannel, TabMessage } from './tab-channel.ts';
import { withHistory } from '../history/with-history.ts';

/*
 * One conversation in several tabs. Loaded when another tab is heard of, or when one has left something.
 */

/** What the other tabs may change in a conversation. */
export interface SharedConversation extends OutboxConversation {
  readonly isVisible: () => boolean;
  readonly keptId: () => string | undefined;
  readonly setDraft: (text: string) => void;
  /** @param isShown whether the panel follows: of several chats on one page each opens by itself */
  readonly setOpen: (isOpen: boolean, isShown: boolean) => void;
  /** Goes on with another conversation, or with none, and opens it if it is to show. */
  readonly follow: (conversationId: string | undefined, isShown: boolean, seen: number) => void;
  readonly pump: () => void;
}

/** Keeps a conversation in step with the other tabs that show it. */
export class Tabs {
  readonly #world: ConversationWorld;
  readonly #channel: TabChannel;
  readonly #outbox: Outbox;
  readonly #conversation: SharedConversation;
  /** Tabs whose end is waited for. */
  readonly #awaited = new Set<string>();
  /** What other tabs were about to send, and how many messages they knew of, when this one last looked. */
  #waited: ReadonlySet<string> = new Set();
  #come = 0;
  #isBehind = false;
  #isCatchingUp = false;
  /** Whether a conversation showed that another tab has left. */
  #isShown = false;
  /** While another tab's reply is drawn: that one is not told back. */
  #isHearing = false;

  constructor(
    world: ConversationWorld,
    channel: TabChannel,
    outbox: Outbox,
    conversation: SharedConversation,
  ) {
    this.#world = world;
    this.#channel = channel;
    this.#outbox = outbox;
    this.#conversation = conversation;
    channel.listen((message, isSamePage) => {
      this.hear(message, isSamePage);
    });
    channel.post({ type: 'kept' });
  }

  hear(message: TabMessage, isSamePage = false): void {
    const { conversationId } = this.#conversation.snapshot();
    if (message.type === 'kept') this.#readKept(isSamePage);
    else if (message.conversationId === conversationId) this.#showLive(message.messages);
  }

  close(): void {
    this.#channel.close();
  }

  /** Tells the others that something was kept. */
  tellKept(): void {
    this.#channel.post({ type: 'kept' });
  }

  /** Tells the others of the reply that streams here. */
  tellPiece(): void {
    if (this.#isHearing) return;
    const { conversationId = '', messages } = this.#conversation.snapshot();
    const at = messages.findIndex(({ status }) => status === 'streaming');
    this.#channel.post({
      type: 'live',
      conversationId,
      // What the assistant asks of the page is asked of this one.
      messages: messages.slice(Math.max(0, at - 1), at + 1).map((message) => ({
        ...message,
        functionCalls: message.functionCalls.filter(({ client }) => client !== true),
      })),
    });
  }

  /** A reply is complete here: now for what was written in other tabs meanwhile. */
  settled(): void {
    if (this.#isBehind) void this.#catchUp();
  }

  /** Leaves to other tabs what they are there to send; the rest is this tab's now. */
  async claim(): Promise<void> {
    const { unclaimed } = this.#outbox;
    for (const tab of this.#otherTabs()) {
      const isGone = await this.#channel.whenGone(tab, true, () => {
        this.#takeOver(tab);
      });
      if (!isGone) this.#awaitEnd(tab);
    }
    // What nobody has left was sent meanwhile, or is another tab's.
    this.#drop((key) => unclaimed.has(key));
    unclaimed.clear();
  }

  #readKept(isSamePage: boolean): void {
    const { keptId, snapshot, apply, setDraft, setOpen, isVisible, follow } = this.#conversation;
    const { store } = this.#world;
    // What could not be written here is not overwritten either.
    const { known } = store;
    const kept = store.sync();
    const { conversationId, draft, seen = 0, isOpen, choices } = kept;
    if (draft !== known.draft) setDraft(draft);
    if (isOpen !== known.isOpen) setOpen(isOpen ?? false, !isSamePage);
    const isOther = conversationId !== keptId();
    if (isOther) {
      // Between two conversations there may be none for a moment.
      this.#isShown ||= snapshot().status !== 'idle';
      follow(conversationId, this.#isShown, seen);
      this.#isShown &&= conversationId === undefined;
    }
    if (JSON.stringify(choices) !== JSON.stringify(snapshot().choices)) apply({ type: 'chosen', choices });
    if (isOther) return;
    const before = snapshot().unread;
    const come = Math.max(0, heardIn(snapshot().messages) - seen);
    // What shows here is read, whatever the others think.
    const unread = isVisible() ? Math.min(before, come) : come;
    if (unread !== before || (isVisible() && unread !== kept.unread)) apply({ type: 'unread', unread });
    for (const tab of this.#otherTabs()) this.#awaitEnd(tab);
    this.#lookForAnswers(kept);
  }

  /** What another tab has sent, or what it knows of, tells that there is something new. */
  #lookForAnswers({ seen = 0, unread = 0 }: KeptConversation): void {
    const theirs = new Set(this.#theirs.map(({ key }) => key));
    const isSettled = [...this.#waited].some((key) => !theirs.has(key));
    const come = seen + unread;
    const isBehind = come > Math.max(this.#come, heardIn(this.#conversation.snapshot().messages));
    this.#waited = theirs;
    this.#come = come;
    if (isSettled || isBehind) void this.#catchUp();
  }

  /** What other tabs are there to send. */
  get #theirs(): readonly PendingMessage[] {
    const { store, tabs } = this.#world;
    return store.stored.pending.filter(({ tab }) => tab && tab !== tabs?.tab());
  }

  #otherTabs(): Set<string> {
    return new Set(this.#theirs.map(({ tab }) => tab as string));
  }

  /** When a tab goes away with something unsent, this one sends it; it looks first whether it arrived. */
  #awaitEnd(tab: string): void {
    if (this.#awaited.has(tab)) return;
    this.#awaited.add(tab);
    this.#channel
      .whenGone(tab, false, () => {
        this.#awaited.delete(tab);
        // It may also have come to its end without a word, as a chat does that its page took away.
        if (this.#takeOver(tab)) this.#conversation.pump();
        else void this.#catchUp();
      })
      .catch(() => undefined); // This tab was gone first.
  }

  /** What a tab that is gone has not sent is this tab's now. Gives whether there was anything. */
  #takeOver(owner: string): boolean {
    const left = this.#theirs.filter(({ tab }) => tab === owner);
    if (left.length === 0) return false;
    const { attempts, unclaimed } = this.#outbox;
    // Also what has come of the answer: it comes anew.
    this.#drop((key) => left.some((message) => key.startsWith(message.key)));
    this.#world.tabs?.hold();
    for (const message of left) {
      const { key, attempt } = message;
      if (attempt) attempts.set(key, { ...attempt, at: this.#world.now() });
      unclaimed.delete(key);
      this.#conversation.apply({ ...message, type: 'queued' });
    }
    return true;
  }

  #drop(isDropped: (key: string) => boolean): void {
    const { snapshot, apply } = this.#conversation;
    const messages = snapshot().messages.filter(({ key }) => !isDropped(key));
    if (messages.length < snapshot().messages.length) apply({ type: 'reply', messages, isPiece: false });
  }

  #showLive(live: readonly Message[]): void {
    const { snapshot, apply } = this.#conversation;
    const messages = [...snapshot().messages];
    for (const message of live) {
      const at = messages.findIndex(({ key }) => key === message.key);
      const end = messages.findIndex(isPending);
      if (at >= 0) messages[at] = message;
      else messages.splice(end < 0 ? messages.length : end, 0, message);
    }
    this.#isHearing = true;
    apply({ type: 'reply', messages, isPiece: true });
    this.#isHearing = false;
  }

  /** Another tab's message was answered. */
  async #catchUp(): Promise<void> {
    const { snapshot, apply } = this.#conversation;
    const { conversationId, messages, status } = snapshot();
    if (this.#isCatchingUp) return;
    this.#isBehind = status !== 'ready';
    if (this.#isBehind || conversationId === undefined) return;
    this.#isCatchingUp = true;
    const session = await readSession(this.#world.client, conversationId).catch(() => undefined);
    this.#isCatchingUp = false;
    if (conversationId !== snapshot().conversationId) return;
    // Without an answer, the next one tries again.
    this.#isBehind = messages !== snapshot().messages || !session;
    if (session && !this.#isBehind)
      apply({ type: 'history', session, messages: withHistory(messages, session.history) });
    else if (session) void this.#catchUp();
  }
}
