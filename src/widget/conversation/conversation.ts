import type { ToolResult } from '../../client/chat-client.ts';
import type { ConversationListener, Environment } from './environment.ts';
import type { SessionRequest } from './history/request-conversation.ts';
import { isTemporary } from './problem.ts';
import { isChunk, type ConversationEvent } from './reduce.ts';
import { Retries } from './sending/retries.ts';
import { newPrefix, Session, type Bookmark, type RestoredState } from './session.ts';
import { isUnsent, type Choices, type Message, type Snapshot } from './snapshot.ts';
import { TabLink } from './tabs/tab-link.ts';

export type { Bookmark, ConversationListener, Environment };

/** Milliseconds without activity after which a hidden chat stops waiting for updates. A person may take longer. */
const hiddenTimeout = { ofAssistant: 600_000, ofPerson: 3_600_000 };

/**
 * The chat with one assistant: a sequence of conversations, each of them a {@link Session}. It opens or resumes them,
 * sends messages in order, streams answers, receives messages from others, and never loses a visitor's text.
 *
 * Members marked as internal are for the modules of this folder.
 */
export class Conversation {
  /** Internal. */
  readonly environment: Environment;
  /** Internal. */
  readonly request: () => SessionRequest;
  /** Internal. */
  readonly listener: ConversationListener;
  /** Internal. Replaced when the conversation is left. */
  session: Session;
  /** Whether the visitor sees the conversation. If not, new messages are unread. */
  isVisible = false;
  #draft = '';
  #isOpen = false;
  readonly #retries: Retries;
  readonly #tabLink: TabLink;
  /** Internal. True before the first `open`, and while the page has removed the element. */
  isDisconnected = true;
  /** Until when the chat waits for updates while it is hidden. */
  #followUntil = 0;
  #messageCount = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #updates: { readonly need: string; readonly controller: AbortController } | undefined;

  constructor(environment: Environment, request: () => SessionRequest, listener: ConversationListener) {
    this.environment = environment;
    this.request = request;
    this.listener = listener;
    this.#retries = new Retries(environment.now, () => {
      this.retry();
    });
    this.session = new Session(this);
    this.#tabLink = new TabLink(this);
    this.#restore();
    environment.pendingDeletions.requestDeletion();
  }

  /** The state that the panel renders, frozen. */
  get snapshot(): Snapshot {
    return this.session.snapshot;
  }

  /** Data to return to this conversation; undefined before one is opened. */
  get bookmark(): Bookmark | undefined {
    return this.session.bookmark;
  }

  /** Whether there are or may be unsent or unread messages: then the conversation opens even if the panel is hidden. */
  get opensInBackground(): boolean {
    const { unread, messages } = this.snapshot;
    return unread > 0 || messages.some(isUnsent) || (!!this.session.id && this.#isRecent);
  }

  /** Whether the visitor left the panel open a moment ago, on the page before or in another tab. */
  get wasOpen(): boolean {
    return this.#isOpen && this.#isRecent;
  }

  get #isRecent(): boolean {
    return this.#waitingTime > 0;
  }

  /** Milliseconds for which a hidden chat still waits for updates; 0 if the clock was set back meanwhile. */
  get #waitingTime(): number {
    const left = this.#followUntil - this.environment.now();
    return left > hiddenTimeout.ofPerson ? 0 : left;
  }

  /** The text in the composer; stored with the conversation. */
  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    this.#save();
  }

  /** Adds a text to the draft as a paragraph, unless that is its last one. */
  addToDraft(text: string): void {
    if (!`\n\n${this.#draft}`.endsWith(`\n\n${text}`)) this.draft = paragraphs(this.#draft, text);
  }

  /**
   * Opens the conversation, or resumes the stored one. After `pause` or `disconnect`, it continues. Syncs with other
   * tabs until `disconnect`.
   */
  async open(): Promise<void> {
    this.#restoreUnopened();
    const { status } = this.snapshot;
    const wasRemoved = this.isDisconnected;
    this.isDisconnected = false;
    this.#retries.resume();
    this.#tabLink.open();
    if (status !== 'idle' && status !== 'failed') {
      this.#retries.continue(this.session, wasRemoved);
      await this.#tabLink.claim(false);
      await this.session.sendPending();
      return;
    }
    const { session } = this;
    const resumed = session.id !== undefined;
    if (!(await session.open())) return;
    await this.#tabLink.claim(resumed);
    await session.sendPending();
  }

  /** Queues a message of the visitor. Messages are sent in order. A draft with the same text is cleared. */
  send(text: string): void {
    const { newKey, now, tabs } = this.environment;
    this.#restoreUnopened();
    if (text === this.#draft) this.#draft = '';
    tabs?.hold();
    this.#retries.resume();
    this.#retries.stop();
    this.session.requeue();
    this.session.apply({ type: 'queued', key: newKey(), text, at: now() });
    void this.resume();
  }

  /**
   * The browser is online again: sends failed messages, unless one of them waits for its time after too many requests.
   * Does nothing if there is no problem that is temporary.
   */
  online(): void {
    // Not only after `offline`: messages written offline wait behind one that failed for another reason.
    const { snapshot } = this;
    if (![snapshot, ...snapshot.messages].some(({ problem }) => problem && isTemporary(problem))) return;
    this.#retries.continue(this.session, true);
    void this.resume();
  }

  /** Tries again to open the conversation and to send failed messages, if that can succeed. */
  retry(key?: string): void {
    this.#retries.stop();
    this.session.requeue(key);
    void this.resume();
  }

  /** Stops the reply in progress, also on the service; its text so far becomes the answer. */
  stop(): void {
    this.session.stop();
  }

  /** Removes a message that was not sent, and returns its text; `''` for a message that the service has or may have. */
  withdraw(key: string): string {
    const text = this.session.withdraw(key);
    void this.session.sendPending();
    return text;
  }

  /** Adds the result of a page tool. It is sent with the visitor's next message. */
  addToolResult(result: ToolResult): void {
    this.session.addToolResult(result);
    this.#save();
  }

  /** Sets whether the visitor sees the conversation. */
  setVisible(isVisible: boolean): void {
    if (this.isVisible) {
      this.#recordActivity();
      this.#save();
    }
    this.isVisible = isVisible;
    this.#followUpdates(true);
  }

  /** Marks all messages as read. */
  markRead(): void {
    this.session.apply({ type: 'unread', unread: 0 });
  }

  /** Stores decisions of the visitor with the conversation. */
  choose(choices: Choices): void {
    this.session.apply({ type: 'chosen', choices: { ...this.snapshot.choices, ...choices } });
  }

  /** Stores whether the panel is open, so that the next page can show it again. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.#save();
  }

  /** Leaves this conversation for a new one. Unsent messages move to the new one. */
  startNew(): void {
    this.#replaceSession(this.snapshot.messages);
    void this.open();
  }

  /** Leaves this conversation for an earlier one. Unsent messages move there. */
  returnTo(bookmark: Bookmark): void {
    this.#replaceSession(this.snapshot.messages, bookmark);
    void this.open();
  }

  /** Leaves this conversation; opening starts a new one. The texts of unsent messages move to the draft. */
  leave(): void {
    const unsent = this.snapshot.messages.filter(isUnsent).map(({ text }) => text);
    this.#draft = paragraphs(this.#draft, ...unsent);
    // The key is stored until the new one opens, so that the next page does not resume this one either.
    this.#replaceSession([], { openingKey: newPrefix });
  }

  /**
   * Leaves this conversation, erases it from the browser, and requests its deletion from the service. Other tabs forget
   * it too.
   */
  forget(): void {
    this.#draft = '';
    this.#isOpen = false;
    this.deleteSession();
    this.environment.store.forget();
    this.#tabLink.tabs?.post('forgotten');
    this.listener.onForget?.();
  }

  /** Internal. Leaves this conversation, and requests its deletion from the service. */
  deleteSession(): void {
    this.session.delete();
    this.#replaceSession([]);
  }

  /**
   * Call when the browser's storage was replaced. A conversation that the visitor has used replaces the one that is
   * stored there; otherwise the stored one is resumed.
   */
  storageChanged(): void {
    const { store } = this.environment;
    const { session } = this;
    if (!session.isUnused || this.snapshot.messages.some(({ role }) => role === 'user')) {
      store.clear();
      this.#save();
    } else if (session.id !== store.stored.conversationId) {
      session.discard();
      this.session = new Session(this);
      const stored = store.read();
      this.session.restore(stored);
      this.#draft ||= stored.draft;
      if (!this.isDisconnected) void this.open();
    }
  }

  /** Suspends retries until `open`. Requests in flight continue, so that no answer is lost. */
  pause(): void {
    this.#retries.pause();
    this.setVisible(false);
  }

  /** Suspends everything until `open`, because the page removed the chat. Requests in flight continue. */
  disconnect(): void {
    this.isDisconnected = true;
    this.pause();
    this.#tabLink.close();
    if (this.snapshot.status !== 'replying') this.session.release();
  }

  /**
   * Internal. Called after each change of the session's snapshot: stores it, and notifies other tabs and the listener.
   */
  changed(event: ConversationEvent): void {
    const { tabs } = this.#tabLink;
    const { length } = this.snapshot.messages;
    if (length !== this.#messageCount) {
      this.#messageCount = length;
      // A conversation that is resumed has its messages from before.
      if (event.type !== 'opened') this.#recordActivity();
    }
    if (isChunk(event)) {
      if (event.type !== 'streamed-elsewhere') tabs?.postChunk();
    } else {
      this.#save();
      this.#followUpdates(false);
      if (event.type === 'settled') tabs?.exchangeSettled();
    }
    this.listener.onChange();
  }

  /** Internal. Opens the conversation if necessary, and sends pending messages. */
  async resume(): Promise<void> {
    const isOpen = !this.isDisconnected && !/idle|failed/.test(this.snapshot.status);
    await (isOpen ? this.session.sendPending() : this.open());
  }

  /** Internal. Schedules a retry at a time in milliseconds since 1970. */
  retryAt(time: number | undefined): void {
    this.#retries.schedule(time);
  }

  /**
   * Internal. Puts a text back into the composer: before the draft if `isFirst`, otherwise only if the draft is empty.
   */
  returnToDraft(text: string, isFirst: boolean): void {
    if (isFirst || this.#draft.trim() === '') this.#draft = paragraphs(text, this.#draft);
  }

  /** Internal. Adopts the draft of another tab. */
  adoptDraft(text: string): void {
    this.#draft = text;
    this.listener.onChange();
  }

  /**
   * Internal. Adopts from another tab whether the panel is open.
   *
   * @param isShown whether the panel of this tab follows; several chats on one page open independently
   */
  adoptOpenState(isOpen: boolean, isShown: boolean): void {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    // Later: the state of the other tab is still being adopted.
    if (isShown) queueMicrotask(() => this.listener.onOpenChange?.(isOpen));
  }

  /**
   * Internal. Adopts the conversation of another tab; without a bookmark, there is none yet.
   *
   * @param erased the keys of unsent messages that the other tab has erased
   */
  adoptConversation(bookmark: Bookmark | undefined, isShown: boolean, erased: ReadonlySet<string>): void {
    // That the next conversation is new was decided when this one was left, and applies to all tabs.
    const { openingKey } = this.environment.store.known;
    this.#replaceSession(
      this.snapshot.messages.filter(({ key }) => !erased.has(key)),
      bookmark ?? (openingKey?.startsWith(newPrefix) ? { openingKey } : undefined),
    );
    if (isShown && bookmark) void this.open();
  }

  /** @param messages the messages of this conversation; the unsent ones move to the next */
  #replaceSession(messages: readonly Message[], restored?: RestoredState): void {
    this.session.discard();
    this.#retries.stop();
    this.session = new Session(this, !restored);
    if (restored) this.session.restore(restored);
    this.session.apply({ type: 'carried-over', messages });
  }

  /** Reads the stored state again: another tab may have changed it, or the visitor may have allowed storage. */
  #restoreUnopened(): void {
    const { status, messages } = this.snapshot;
    const isUnopened = this.isDisconnected || this.session.id === undefined;
    if (status === 'idle' && !messages[0] && isUnopened) this.#restore();
  }

  #restore(): void {
    const { known } = this.environment.store;
    const stored = this.environment.store.read();
    // Changes that could not be stored are newer than the stored state.
    if (this.#draft === known.draft) this.#draft = stored.draft;
    this.#isOpen = stored.isOpen ?? false;
    this.#followUntil = stored.followUntil ?? 0;
    if (this.session.id === known.conversationId) this.session.restore(stored);
  }

  #save(): void {
    const { store, tabs } = this.environment;
    const state = {
      ...this.session.stored,
      draft: this.#draft,
      isOpen: this.#isOpen || undefined,
      followUntil: this.#followUntil,
    };
    if (state.pending.length === 0) tabs?.release();
    if (store.write(state)) this.#tabLink.tabs?.post('stored');
  }

  #recordActivity(): void {
    const { ofAssistant, ofPerson } = hiddenTimeout;
    this.#followUntil = this.environment.now() + (this.snapshot.aiEnabled ? ofAssistant : ofPerson);
  }

  /** Starts or stops following updates, depending on how likely they are. */
  #followUpdates(isDue: boolean): void {
    const need = this.#needForUpdates();
    clearTimeout(this.#idleTimer);
    if (need !== 'none' && !this.isVisible) {
      this.#idleTimer = setTimeout(() => {
        this.#followUpdates(false);
      }, this.#waitingTime);
      // In a site's tests, it must not keep Node running.
      (this.#idleTimer as { unref?: () => void }).unref?.();
    }
    if (need === this.#updates?.need) return;
    this.#updates?.controller.abort();
    this.#updates = undefined;
    if (need === 'none') return;
    const controller = new AbortController();
    const updates = (this.#updates = { need, controller });
    const { signal } = controller;
    const { loadMessaging, idle } = this.environment;
    (need === 'expected' ? Promise.resolve() : idle())
      .then(loadMessaging)
      .then(({ followUpdates }) =>
        followUpdates(this.session, { isExpected: need === 'expected', isDue, signal }),
      )
      .catch(() => {
        // Aborted, or the module could not be loaded: the next change tries again.
        if (this.#updates === updates) this.#updates = undefined;
      });
  }

  #needForUpdates(): 'none' | 'possible' | 'expected' {
    const { status, aiEnabled, messages } = this.snapshot;
    if (this.isDisconnected || !/ready|replying/.test(status)) return 'none';
    const last = messages.at(-1);
    // The answer to a message of an earlier visit may also be in progress.
    const isLate = status === 'ready' && (last?.status === 'sent' || !!this.session.late[0]);
    if (!this.isVisible && !this.#isRecent) return 'none';
    return !aiEnabled || isLate ? 'expected' : 'possible';
  }
}

/** Joins texts as paragraphs. */
export function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
