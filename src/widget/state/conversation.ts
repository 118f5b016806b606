import type { ChatClient } from '../../client/chat-client.ts';
import type { ConversationStore } from './conversation-store.ts';
import { deliver, findSent } from './deliver.ts';
import { InvalidRequestError, openSession, resumeSession } from './open-session.ts';
import type { Session, SessionRequest } from './open-session.ts';
import { isPassing, problemFrom, type Problem } from './problem.ts';
import { reduce, type ConversationEvent } from './reduce.ts';
import { RetryTimer } from './retry-timer.ts';
import { emptySnapshot, isUnsent, type Message, type Snapshot } from './snapshot.ts';

/** What a conversation needs of the world around it. */
export interface ConversationWorld {
  readonly client: ChatClient;
  readonly store: ConversationStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isOnline: () => boolean;
  /** An unguessable key for a message. */
  readonly newKey: () => string;
}

/** What a conversation tells, apart from its snapshots. */
export interface ConversationListener {
  onChange: () => void;
  onReady: (conversationId: string, resumed: boolean) => void;
  onSent: (text: string) => void;
  onAnswer: (text: string, latency: number | undefined) => void;
  onProblem: (problem: Problem) => void;
}

/**
 * Owns one session with an assistant: opens or resumes it, sends in order, streams answers, and loses nothing that a
 * visitor wrote. The only one to call the client.
 */
export class Conversation {
  snapshot: Snapshot = emptySnapshot;

  readonly #world: ConversationWorld;
  readonly #request: () => SessionRequest;
  readonly #listener: ConversationListener;
  /** Replaced when the conversation is left: what still arrives for the old one is ignored. */
  #life = new AbortController();
  #keptId: string | undefined;
  #draft: string;
  /** For every message that was sent and not confirmed: how many of the visitor's the history held before. */
  readonly #sentAfter = new Map<string, number>();
  /** Of an opening whose fate is unknown, so that another try does not open a second conversation. */
  #openingKey: string | undefined;
  readonly #retryTimer: RetryTimer;

  constructor(world: ConversationWorld, request: () => SessionRequest, listener: ConversationListener) {
    this.#world = world;
    this.#request = request;
    this.#listener = listener;
    this.#retryTimer = new RetryTimer(world.now, () => {
      this.retry();
    });
    const { conversationId, draft, pending } = world.store.read();
    this.#keptId = conversationId;
    this.#draft = draft;
    for (const { key, text, sentAfter } of pending) {
      this.snapshot = reduce(this.snapshot, { type: 'queued', key, text });
      if (sentAfter !== undefined) this.#sentAfter.set(key, sentAfter);
    }
  }

  /** What the visitor is writing; kept like the conversation. */
  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    this.#save();
  }

  /** Opens the conversation, or resumes the one that was kept; if that was done, goes on after a pause. */
  async open(): Promise<void> {
    const { status, messages } = this.snapshot;
    this.#retryTimer.resume();
    if (status !== 'idle' && status !== 'failed') {
      for (const { problem, status } of messages)
        if (status === 'failed') this.#retryTimer.start(problem?.retryAt);
      return;
    }
    const { signal } = this.#life;
    const startedAt = this.#world.now();
    this.#apply({ type: 'opening' });
    try {
      const resumed = this.#keptId !== undefined;
      const { client, newKey } = this.#world;
      const { conversationId, history, variables } =
        this.#keptId === undefined
          ? await openSession(client, this.#request(), (this.#openingKey ??= newKey()), signal)
          : await resumeSession(client, this.#keptId, signal);
      if (signal.aborted) return;
      this.#keptId = conversationId;
      this.#openingKey = undefined;
      const openedIn = this.#world.now() - startedAt;
      this.#apply({
        type: 'opened',
        conversationId,
        history: this.#withoutPending(history),
        openedIn,
        variables,
      });
      this.#listener.onReady(conversationId, resumed);
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(this.#problem(error));
      return;
    }
    await this.#pump();
  }

  /** Takes a message of the visitor's into the queue, which empties itself in order. */
  send(text: string): void {
    const { newKey } = this.#world;
    this.#retryTimer.resume();
    this.#requeue();
    this.#apply({ type: 'queued', key: newKey(), text });
    void this.#goOn();
  }

  /** Tries again whatever failed and may succeed now. */
  retry(key?: string): void {
    this.#requeue(key);
    void this.#goOn();
  }

  /** Leaves this conversation for a new one. What the visitor wrote and nobody has read goes along. */
  startOver(): void {
    this.#leave(true);
    void this.open();
  }

  /** Leaves this conversation; the next opening begins a new one. What was not sent goes into the draft. */
  leave(): void {
    const unsent = this.snapshot.messages.filter(isUnsent).map(({ text }) => text);
    this.#draft = [this.#draft, ...unsent].filter((text) => text.trim() !== '').join('\n\n');
    this.#leave(false);
  }

  /** Leaves the conversation and wipes all that the browser keeps of it. */
  forget(): void {
    this.#world.store.clear();
    this.#draft = '';
    this.#leave(false);
  }

  /** Asks for the variables that the assistant fills in; a preview shows them. */
  async readVariables(): Promise<void> {
    const { conversationId } = this.snapshot;
    if (conversationId === undefined) return;
    const { variables } = await this.#world.client.resumeConversation(conversationId);
    if (conversationId === this.snapshot.conversationId) {
      this.#apply({ type: 'variables', variables });
    }
  }

  /** Tries nothing again until it is opened. Requests under way come to their end: their answers belong to the visitor. */
  pause(): void {
    this.#retryTimer.pause();
  }

  /** Sends what waits, one after another. While one is on its way, the status is `replying` and a second run does nothing. */
  async #pump(): Promise<void> {
    const { signal } = this.#life;
    while (!signal.aborted && this.snapshot.status === 'ready') {
      const next = this.#next();
      if (next === undefined) break;
      await this.#deliver(next, signal);
    }
  }

  /** What may be sent now. A message that may have arrived already comes first, and one that waits holds the later ones up. */
  #next(): Message | undefined {
    const waiting = this.snapshot.messages.filter(
      (message) =>
        isUnsent(message) &&
        (message.status !== 'failed' || message.problem === undefined || isPassing(message.problem)),
    );
    const next = waiting.find(({ key }) => this.#sentAfter.has(key)) ?? waiting[0];
    return next?.status === 'queued' ? next : undefined;
  }

  async #deliver(message: Message, signal: AbortSignal): Promise<void> {
    const { client, now } = this.#world;
    const { key, text } = message;
    const isRepeat = this.#sentAfter.has(key);
    const isConfirmedUser = ({ role, status }: Message): boolean => role === 'user' && status === 'sent';
    const sentAfter = this.#sentAfter.get(key) ?? this.snapshot.messages.filter(isConfirmedUser).length;
    // Written down before it is sent: a page may go away at any moment.
    this.#sentAfter.set(key, sentAfter);
    const conversationId = this.snapshot.conversationId as string;
    this.#apply({ type: 'sending', key });
    try {
      const apply = (event: ConversationEvent): void => {
        this.#apply(event);
      };
      const onRefused = (): void => {
        this.#sentAfter.delete(key);
      };
      const answer = await deliver({
        client,
        conversationId,
        message,
        sentAfter,
        isRepeat,
        signal,
        now,
        apply,
        onRefused,
      });
      if (signal.aborted) return;
      this.#sentAfter.delete(key);
      this.#apply({ type: 'settled' });
      this.#listener.onSent(text);
      if (answer.text) this.#listener.onAnswer(answer.text, answer.latency);
    } catch (error) {
      if (signal.aborted) return;
      const problem = this.#problem(error);
      // Refused for what it says: the visitor can change it, and a new visit does not send it again.
      if (problem.code === 'invalid-request' && !this.#sentAfter.has(key) && this.#draft.trim() === '')
        this.#draft = text;
      this.#apply({ type: 'send-failed', key, problem });
      if (problem.code === 'conversation-not-found') this.#fail(problem);
      else this.#listener.onProblem(problem);
      this.#retryTimer.start(problem.retryAt);
    }
  }

  /** The history up to the message whose answer is still looked for: that one shows as pending. */
  #withoutPending(history: Session['history']): Session['history'] {
    for (const { key, text } of this.snapshot.messages) {
      const sentAfter = this.#sentAfter.get(key);
      const at = sentAfter === undefined ? -1 : findSent(history, text, sentAfter);
      if (at >= 0) return history.slice(0, at);
    }
    return history;
  }

  #problem(error: unknown): Problem {
    if (error instanceof InvalidRequestError) return error.problem;
    return problemFrom(error, this.#world.now(), this.#world.isOnline());
  }

  #fail(problem: Problem): void {
    this.#apply({ type: 'failed', problem });
    this.#listener.onProblem(problem);
    this.#retryTimer.start(problem.retryAt);
  }

  #requeue(key?: string): void {
    this.#retryTimer.stop();
    for (const message of this.snapshot.messages.filter(isUnsent)) {
      const { status, problem } = message;
      if (status !== 'failed' || problem === undefined) continue;
      if (message.key === key || isPassing(problem)) this.#apply({ type: 'requeued', key: message.key });
    }
  }

  async #goOn(): Promise<void> {
    const { status } = this.snapshot;
    if (status === 'idle' || status === 'failed') await this.open();
    else await this.#pump();
  }

  #leave(keepPending: boolean): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#retryTimer.stop();
    this.#keptId = undefined;
    this.#openingKey = undefined;
    this.#sentAfter.clear();
    this.#apply({ type: 'reset', keepPending });
  }

  #apply(event: ConversationEvent): void {
    this.snapshot = Object.freeze(reduce(this.snapshot, event));
    // Pieces of an answer change nothing that is kept.
    if (event.type !== 'delta' && event.type !== 'function-call') this.#save();
    this.#listener.onChange();
  }

  #save(): void {
    this.#world.store.write({
      ...(this.#keptId !== undefined && { conversationId: this.#keptId }),
      draft: this.#draft,
      // A message whose answer streams has arrived, but its answer has not.
      pending: this.snapshot.messages
        .filter((message) => isUnsent(message) || this.#sentAfter.has(message.key))
        .map(({ key, text }) => {
          const sentAfter = this.#sentAfter.get(key);
          return { key, text, ...(sentAfter !== undefined && { sentAfter }) };
        }),
    });
  }
}
