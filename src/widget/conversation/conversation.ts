import type { ToolResult } from '../../client/chat-client.ts';
import type { ConversationListener, ConversationWorld } from './conversation-world.ts';
import { NewsWatch } from './history/news-watch.ts';
import { Opener } from './sending/opener.ts';
import { loadSend, Outbox } from './sending/outbox.ts';
import { problemFrom, type Problem } from './problem.ts';
import { reduce, withUnread, type ConversationEvent } from './reduce.ts';
import { RetryTimer } from './sending/retry-timer.ts';
import type { SessionRequest } from './history/session.ts';
import { withHistory } from './history/with-history.ts';
import { TabLink } from './tabs/tab-link.ts';
import type { SharedConversation } from './tabs/tabs.ts';
import { emptySnapshot, heardIn, isUnsent, type Choices, type Snapshot } from './snapshot.ts';

export type { ConversationListener, ConversationWorld };

/**
 * Owns one session with an assistant: opens or resumes it, sends in order, streams answers, hears of what others write,
 * and loses nothing that a visitor wrote. Beside its parts the only one to call the client.
 */
export class Conversation {
  snapshot: Snapshot = emptySnapshot;

  readonly #world: ConversationWorld;
  readonly #request: () => SessionRequest;
  readonly #listener: ConversationListener;
  /** Replaced when the conversation is left: what still arrives for the old one is ignored. */
  #life = new AbortController();
  /** The conversation to go on with: this visit's, or one of an earlier visit. */
  keptId: string | undefined;
  #draft = '';
  readonly #outbox: Outbox;
  /** How many messages that the visitor did not write were seen at the last visit. */
  #seenBefore = 0;
  #isOpen = false;
  #isVisible = false;
  readonly #opener: Opener;
  readonly #retryTimer: RetryTimer;
  readonly #newsWatch: NewsWatch;
  readonly #tabLink: TabLink;

  constructor(world: ConversationWorld, request: () => SessionRequest, listener: ConversationListener) {
    this.#world = world;
    this.#request = request;
    this.#listener = listener;
    this.#retryTimer = new RetryTimer(world.now, () => {
      this.retry();
    });
    const conversation = this.#inside;
    this.#outbox = new Outbox(world, listener, conversation);
    this.#opener = new Opener(world, this.#outbox);
    this.#tabLink = new TabLink(world, this.#outbox, conversation);
    this.#newsWatch = new NewsWatch({ client: world.client, conversation, outbox: this.#outbox, listener });
    this.#restore();
    world.forgotten.ask();
  }

  /** Whether there is something to send or to read, though the visitor has not asked for the chat. */
  get isWaiting(): boolean {
    const { unread, messages } = this.snapshot;
    return unread > 0 || messages.some(isUnsent);
  }

  /** What the visitor is writing; kept like the conversation. */
  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    this.#save();
    // It will be needed soon; if it cannot be loaded now, sending tries again.
    loadSend().catch(() => undefined);
  }

  /**
   * Opens the conversation, or resumes the one that was kept; if that was done, goes on after a pause. From then on it
   * keeps in step with other tabs, until `disconnect`.
   */
  async open(): Promise<void> {
    const { status, messages } = this.snapshot;
    this.#retryTimer.resume();
    this.#tabLink.open();
    if (status !== 'idle' && status !== 'failed') {
      for (const { problem, status } of messages)
        if (status === 'failed') this.#retryTimer.start(problem?.retryAt);
      await this.#tabLink.claim(false);
      return;
    }
    // Another tab may have begun since then, or the visitor have agreed to what is kept.
    if (!this.keptId && !messages[0]) this.#restore();
    const { signal } = this.#life;
    const startedAt = this.#world.now();
    const resumed = this.keptId !== undefined;
    try {
      const [conversationId, session] = await this.#opener.open(this.keptId, this.#request(), signal);
      signal.throwIfAborted();
      this.keptId = conversationId;
      const openedIn = this.#world.now() - startedAt;
      const messages = withHistory(this.snapshot.messages, session.history);
      const seen = resumed ? this.#seen : undefined;
      this.#apply({ type: 'opened', conversationId, session, messages, openedIn, seen });
      this.#listener.onReady(conversationId, resumed);
    } catch (error) {
      if (!signal.aborted) this.#fail(problemFrom(error, this.#world.now(), this.#world.isOnline()));
      return;
    }
    await this.#tabLink.claim(resumed);
    await this.#outbox.pump(signal);
  }

  /** Takes a message of the visitor's into the queue, which empties itself in order. */
  send(text: string): void {
    const { newKey, now } = this.#world;
    this.#world.tabs?.hold();
    this.#retryTimer.resume();
    this.#retryTimer.stop();
    this.#outbox.requeue();
    this.#apply({ type: 'queued', key: newKey(), text, at: now() });
    void this.#goOn();
  }

  /** Tries again whatever failed and may succeed now. */
  retry(key?: string): void {
    this.#retryTimer.stop();
    this.#outbox.requeue(key);
    void this.#goOn();
  }

  /** Ends the reply under way: what there is of it stays, as the answer. The service is asked to write no further. */
  stop(): void {
    this.#outbox.stop();
  }

  /**
   * Takes a message that waits or failed out of the outbox, to be written differently. Gives its text, or `''` for one
   * that the service has or may have.
   */
  takeBack(key: string): string {
    const text = this.#outbox.takeBack(key);
    void this.#outbox.pump(this.#life.signal);
    return text;
  }

  /** What a function of the page returned: the assistant learns of it with the visitor's next message. */
  addToolResult(result: ToolResult): void {
    this.#outbox.addToolResult(result);
    this.#save();
  }

  /** Whether the visitor sees the conversation: if not, what comes is unread, and nothing is asked for unasked. */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.#followNews(true);
  }

  /** The visitor has seen all that there is. */
  markRead(): void {
    this.#apply({ type: 'unread', unread: 0 });
  }

  /** Keeps what the visitor decided, for as long as the conversation. */
  choose(choices: Choices): void {
    this.#apply({ type: 'chosen', choices: { ...this.snapshot.choices, ...choices } });
  }

  /** Whether the visitor wants the panel open; kept, so that the next page can show it again. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.#save();
  }

  /**
   * Leaves this conversation for a new one, or for one that was left. What the visitor wrote and nobody has read goes along.
   *
   * @param seen how many messages that the visitor did not write were seen in it
   */
  startOver(conversationId?: string, seen?: number): void {
    this.#leave(true, conversationId, seen);
    void this.open();
  }

  /** Leaves this conversation; the next opening begins a new one. What was not sent goes into the draft. */
  leave(): void {
    const unsent = this.snapshot.messages.filter(isUnsent).map(({ text }) => text);
    this.#draft = joined(this.#draft, ...unsent);
    this.#leave(false);
  }

  /** Leaves the conversation, wipes all that the browser keeps of it, and asks the service to forget it as well. */
  forget(): void {
    this.#world.forgotten.ask(this.keptId);
    this.#draft = '';
    this.#isOpen = false;
    this.#leave(false);
    this.#world.store.clear();
  }

  /** Asks for the variables that the assistant fills in; a preview shows them. */
  async readVariables(): Promise<void> {
    const { readVariables } = await import('./history/read-variables.ts');
    await readVariables(this.#world.client, this.#inside);
  }

  /** Tries nothing again until it is opened. Requests under way come to their end: their answers belong to the visitor. */
  pause(): void {
    this.#retryTimer.pause();
    this.setVisible(false);
  }

  /** The page has taken the chat away: nothing is heard or tried any more. Requests under way come to their end. */
  disconnect(): void {
    this.pause();
    this.#tabLink.close();
    if (this.snapshot.status !== 'replying') this.#outbox.letGo();
  }

  /** The side that the conversation's parts see. */
  get #inside(): SharedConversation {
    return {
      snapshot: () => this.snapshot,
      request: this.#request,
      apply: this.#apply,
      fail: this.#fail,
      retryAt: (time) => {
        this.#retryTimer.start(time);
      },
      putBack: (text, beforeAll) => {
        if (beforeAll || this.#draft.trim() === '') this.#draft = joined(text, this.#draft);
      },
      isVisible: () => this.#isVisible,
      keptId: () => this.keptId,
      setDraft: (text) => {
        this.#draft = text;
        this.#listener.onChange();
      },
      setOpen: (isOpen, isShown) => {
        if (isOpen === this.#isOpen) return;
        this.#isOpen = isOpen;
        if (!isShown) return;
        // Not in the middle of taking over what another tab has changed.
        queueMicrotask(() => this.#listener.onOpenChange?.(isOpen));
      },
      follow: (conversationId, isShown, seen) => {
        this.#leave(true, conversationId, seen);
        if (isShown && conversationId !== undefined) void this.open();
      },
      pump: () => void this.#goOn(),
    };
  }

  /** Waits for news while a person answers, or an answer is late, and the visitor is there to read it. */
  #followNews(isDue = false): void {
    const { status, aiEnabled, messages } = this.snapshot;
    // Also the answer to what was said before this visit may still be written.
    const isLate = messages.at(-1)?.status === 'sent' || this.#outbox.late[0];
    const isWanted = this.#isVisible && status === 'ready' && (!aiEnabled || !!isLate);
    this.#newsWatch.follow(isWanted, isDue);
  }

  readonly #fail = (problem: Problem): void => {
    this.#apply({ type: 'failed', problem });
    this.#listener.onProblem(problem);
    this.#retryTimer.start(problem.retryAt);
  };

  async #goOn(): Promise<void> {
    await (/idle|failed/.test(this.snapshot.status) ? this.open() : this.#outbox.pump(this.#life.signal));
  }

  #restore(): void {
    const kept = this.#world.store.read();
    ({ conversationId: this.keptId, draft: this.#draft } = kept);
    ({ isOpen: this.#isOpen = false, seen: this.#seenBefore = 0 } = kept);
    this.#outbox.restore(kept);
    for (const message of kept.pending) this.snapshot = reduce(this.snapshot, { ...message, type: 'queued' });
    this.snapshot = { ...this.snapshot, unread: kept.unread ?? 0, choices: kept.choices };
  }

  #leave(keepPending: boolean, keptId?: string, seen = 0): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#retryTimer.stop();
    this.keptId = keptId;
    this.#seenBefore = seen;
    this.#opener.reset();
    this.#outbox.clear();
    this.#apply({ type: 'reset', keepPending });
  }

  readonly #apply = (event: ConversationEvent): void => {
    const next = reduce(this.snapshot, event);
    // Pieces of an answer change nothing that is kept or counted.
    const isPiece = event.type === 'reply' && event.isPiece;
    this.snapshot = Object.freeze(this.#isVisible || isPiece ? next : withUnread(this.snapshot, next));
    if (!isPiece) {
      this.#save();
      this.#followNews();
      if (event.type === 'settled') this.#tabLink.tabs?.settled();
    } else this.#tabLink.tabs?.tellPiece();
    this.#listener.onChange();
  };

  /** How many messages that the visitor did not write were seen. */
  get #seen(): number {
    const { conversationId, messages, unread } = this.snapshot;
    return conversationId === undefined ? this.#seenBefore : heardIn(messages) - unread;
  }

  #save(): void {
    const kept = {
      conversationId: this.keptId,
      draft: this.#draft,
      ...this.#outbox.kept,
      seen: this.#seen,
      unread: this.snapshot.unread,
      isOpen: this.#isOpen || undefined,
      choices: this.snapshot.choices,
    };
    if (kept.pending.length === 0) this.#world.tabs?.release();
    if (this.#world.store.write(kept)) this.#tabLink.tabs?.tellKept();
  }
}

/** Several of the visitor's texts as one, a paragraph each. */
function joined(...texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
