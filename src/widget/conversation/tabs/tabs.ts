import type { Conversation } from '../conversation.ts';
import { readConversation } from '../history/request-conversation.ts';
import { applyRecord } from '../history/apply-record.ts';
import { sleep } from '../sending/sleep.ts';
import { countReceived } from '../snapshot.ts';
import { forgotten } from '../storage/conversation-store.ts';
import type { StoredConversation, PendingMessage } from '../storage/stored-conversation.ts';
import type { TabChannel, TabMessage } from './tab-channel.ts';

/** Keeps a conversation in sync with other tabs that show it. */
export class Tabs {
  readonly #conversation: Conversation;
  readonly #channel: TabChannel;
  /** Tabs that this tab waits for to close. */
  readonly #awaited = new Set<string>();
  /** Keys of the messages that other tabs were about to send, and the number of messages they had received. */
  #pendingElsewhere: ReadonlySet<string> = new Set();
  #receivedElsewhere = 0;
  #isBehind = false;
  #isCatchingUp = false;
  /** Whether this tab showed the conversation that another tab has left. */
  #wasShown = false;

  constructor(conversation: Conversation, channel: TabChannel) {
    this.#conversation = conversation;
    this.#channel = channel;
    channel.listen((message, isSamePage) => {
      this.receive(message, isSamePage);
    });
    this.post('stored');
  }

  /** @param value the item that another tab has written, if a storage event reported it */
  receive(message: TabMessage, isSamePage: boolean, value?: string | null): void {
    const conversation = this.#conversation;
    const { session } = conversation;
    if (message.type === 'streamed') {
      if (message.conversationId === session.snapshot.conversationId)
        session.apply({ type: 'streamed-elsewhere', messages: message.messages });
      return;
    }
    const isForgotten =
      value === forgotten ||
      // Chats of one page may store apart from each other.
      (isSamePage && message.type === 'forgotten' && !conversation.environment.store.stored.conversationId);
    // The one that this tab is opening is not stored yet. The other tab deletes the stored one.
    if (isForgotten && session.id === undefined) conversation.deleteSession();
    this.#readStored(isSamePage);
    if (isForgotten) conversation.listener.onForget?.();
  }

  close(): void {
    this.#channel.close();
  }

  /** Notifies the other tabs that the stored conversation changed, or was erased by `forget()`. */
  post(type: 'stored' | 'forgotten'): void {
    this.#channel.post({ type });
  }

  /** Sends the reply that streams in this tab to the others. */
  postChunk(): void {
    const { conversationId = '', messages } = this.#conversation.snapshot;
    const at = messages.findLastIndex(({ status }) => status === 'streaming');
    this.#channel.post({
      type: 'streamed',
      conversationId,
      // Only this tab runs the page tools that this answer calls.
      messages: messages.slice(Math.max(0, at - 1), at + 1).map((message) => ({
        ...message,
        functionCalls: message.functionCalls.filter(({ client }) => client !== true),
      })),
    });
  }

  /** Call when an exchange of this tab is over: reads messages that other tabs exchanged meanwhile. */
  exchangeSettled(): void {
    if (this.#isBehind) void this.#catchUp();
  }

  /** Leaves pending messages to tabs that are still open, and claims the rest. */
  async claim(): Promise<void> {
    const { session } = this.#conversation;
    for (const tab of this.#otherTabs()) {
      const isGone = await this.#channel.onTabClosed(tab, true, () => {
        this.#claimFrom(tab);
      });
      if (!isGone) this.#awaitEnd(tab);
    }
    session.dropUnclaimed();
  }

  #readStored(isSamePage: boolean): void {
    const conversation = this.#conversation;
    const { store } = conversation.environment;
    // Changes of this tab that could not be written are not overwritten.
    const { known } = store;
    const erased = store.sync();
    const stored = store.known;
    const { conversationId, draft, seen = 0, isOpen, choices, toolResults } = stored;
    if (draft !== known.draft) conversation.adoptDraft(draft);
    if (isOpen !== known.isOpen) conversation.adoptOpenState(isOpen ?? false, !isSamePage);
    const isOther = conversationId !== conversation.session.id;
    if (isOther) {
      // Between two conversations there may be none for a moment.
      this.#wasShown ||= conversation.snapshot.status !== 'idle';
      const bookmark = conversationId === undefined ? undefined : { conversationId, seen };
      conversation.adoptConversation(bookmark, this.#wasShown, erased);
      this.#wasShown &&= conversationId === undefined;
    }
    const { session, isVisible } = conversation;
    // Results that another tab has sent must not be sent again.
    if (isOther || !isSame(toolResults, known.toolResults)) session.setToolResults(toolResults);
    if (!isSame(choices, session.snapshot.choices)) session.apply({ type: 'chosen', choices });
    if (isOther) return;
    const before = session.snapshot.unread;
    const received = Math.max(0, countReceived(session.snapshot.messages) - seen);
    // Visible messages are read, regardless of the stored count.
    const unread = isVisible ? Math.min(before, received) : received;
    if (unread !== before || (isVisible && unread !== stored.unread))
      session.apply({ type: 'unread', unread });
    for (const tab of this.#otherTabs()) this.#awaitEnd(tab);
    this.#lookForAnswers(stored);
  }

  /** Catches up if another tab has sent a message, or has received more messages. */
  #lookForAnswers({ seen = 0, unread = 0 }: StoredConversation): void {
    const pending = new Set(this.#pendingOfOthers.map(({ key }) => key));
    const isSettled = [...this.#pendingElsewhere].some((key) => !pending.has(key));
    const received = seen + unread;
    const known = Math.max(this.#receivedElsewhere, countReceived(this.#conversation.snapshot.messages));
    this.#pendingElsewhere = pending;
    this.#receivedElsewhere = received;
    if (isSettled || received > known) void this.#catchUp();
  }

  /** Messages that other tabs are going to send. */
  get #pendingOfOthers(): readonly PendingMessage[] {
    const { store, tabs } = this.#conversation.environment;
    return store.stored.pending.filter(({ tab }) => tab && tab !== tabs?.tab());
  }

  #otherTabs(): Set<string> {
    return new Set(this.#pendingOfOthers.map(({ tab }) => tab as string));
  }

  /** Claims another tab's messages if it closes before sending them. Delivery checks whether they have arrived. */
  #awaitEnd(tab: string): void {
    if (this.#awaited.has(tab)) return;
    this.#awaited.add(tab);
    this.#channel
      .onTabClosed(tab, false, () => {
        this.#awaited.delete(tab);
        // A chat that its page removed may have sent its messages without notifying this tab.
        if (this.#claimFrom(tab)) void this.#conversation.resume();
        else void this.#catchUp();
      })
      .catch(() => undefined); // This tab closed first.
  }

  /** Claims the messages of a closed tab. Returns whether there were any. */
  #claimFrom(closedTab: string): boolean {
    const { session, environment } = this.#conversation;
    const left = this.#pendingOfOthers.filter(({ tab }) => tab === closedTab);
    if (left.length === 0) return false;
    environment.tabs?.hold();
    session.claim(left);
    return true;
  }

  /** Reads the conversation after another tab's message was answered. */
  async #catchUp(): Promise<void> {
    const { session } = this.#conversation;
    const { conversationId, messages, status } = session.snapshot;
    if (this.#isCatchingUp) return;
    this.#isBehind = status !== 'ready';
    if (this.#isBehind || conversationId === undefined) return;
    this.#isCatchingUp = true;
    const { client } = this.#conversation.environment;
    const record = await readConversation(client, conversationId).catch(() => undefined);
    // If it could not be read, the next answer tries again.
    this.#isBehind = messages !== session.snapshot.messages || !record;
    // While another tab streams an answer, the messages keep changing.
    if (record && this.#isBehind) await sleep(1000, session.signal).catch(() => undefined);
    this.#isCatchingUp = false;
    if (session.signal.aborted || !record) return;
    if (this.#isBehind) void this.#catchUp();
    else
      applyRecord(session, record, () => {
        this.#conversation.listener.onAnswer(undefined, undefined);
      });
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
