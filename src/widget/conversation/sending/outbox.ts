import { ChatError, type ToolResult } from '../../../client/chat-client.ts';
import type { Attempt, KeptConversation, Luggage } from '../storage/kept-conversation.ts';
import type { ConversationListener, ConversationWorld } from '../conversation-world.ts';
import { isPassing, problemFrom, type Problem } from '../problem.ts';
import type { ConversationEvent } from '../reduce.ts';
import type { send } from './send.ts';
import type { Session, SessionRequest } from '../history/session.ts';
import { isUnsent, type Message, type Snapshot } from '../snapshot.ts';

/** The conversation whose messages go out. */
export interface OutboxConversation {
  readonly snapshot: () => Snapshot;
  readonly request: () => SessionRequest;
  readonly apply: (event: ConversationEvent) => void;
  /** The conversation as a whole cannot go on. */
  readonly fail: (problem: Problem) => void;
  /** Tries again at that time, milliseconds since 1970. */
  readonly retryAt: (time: number | undefined) => void;
  /** Lets the visitor go on writing this; unless it is to go before all, only where nothing was written meanwhile. */
  readonly putBack: (text: string, beforeAll: boolean) => void;
}

/** Results that may go with one message; the contract's limit, which only who has tools would load. */
const resultLimit = 16;

/**
 * What the visitor wrote and the service has not confirmed. It goes out one by one, in order, and each exactly once; a
 * message that the service took in, but nobody has answered, is `late` until an answer is found.
 */
export class Outbox {
  readonly world: ConversationWorld;
  readonly listener: ConversationListener;
  readonly conversation: OutboxConversation;
  /** Of every message that was sent and not confirmed. */
  readonly attempts = new Map<string, Attempt>();
  /** The tab that left a message, until it is known to be gone. */
  readonly unclaimed = new Map<string, string>();
  /** What functions of the page returned, until it goes with a message. */
  luggage: Luggage | undefined;
  /** Of an opening whose fate is unknown, so that another try does not open a second conversation. */
  openingKey: string | undefined;
  /** The variables that the service knows, as JSON. */
  told: string | undefined;
  #stop: AbortController | undefined;

  constructor(world: ConversationWorld, listener: ConversationListener, conversation: OutboxConversation) {
    this.world = world;
    this.listener = listener;
    this.conversation = conversation;
  }

  /** Goes on with what an earlier visit left. */
  restore({ pending, luggage, openingKey }: KeptConversation): void {
    this.luggage = luggage;
    this.openingKey = openingKey;
    for (const { key, tab, attempt } of pending) {
      // The page that sent it may have gone away just now, with the request still on its way.
      if (attempt) this.attempts.set(key, { ...attempt, at: this.world.now() });
      if (tab) this.unclaimed.set(key, tab);
    }
  }

  /** What this visit leaves to the next one. */
  get kept(): Pick<KeptConversation, 'pending' | 'luggage' | 'openingKey'> {
    const tab = this.world.tabs?.tab();
    return {
      pending: this.conversation
        .snapshot()
        .messages.filter(
          (message) =>
            !this.unclaimed.has(message.key) &&
            // A message whose answer streams has arrived, but its answer has not.
            (isUnsent(message) || this.attempts.has(message.key)),
        )
        .map(({ key, text, at = 0 }) => ({ key, text, at, tab, attempt: this.attempts.get(key) })),
      luggage: this.luggage,
      openingKey: this.openingKey,
    };
  }

  /** The messages that the service took in and nobody has answered yet. */
  get late(): readonly (Message & { readonly attempt: Attempt })[] {
    return this.conversation.snapshot().messages.flatMap((message) => {
      const attempt = this.attempts.get(message.key);
      return attempt && message.status === 'sent' ? { ...message, attempt } : [];
    });
  }

  /** The session as it shows while messages are looked for that it may hold already. */
  async withoutSought(session: Session): Promise<Session> {
    if (this.attempts.size === 0) return session;
    const { withoutSought } = await import('./look-up.ts');
    const { snapshot, apply } = this.conversation;
    return withoutSought(session, snapshot().messages, this.attempts, apply);
  }

  /** Goes with the next message; of too many, the first are dropped. */
  addToolResult(...results: readonly ToolResult[]): void {
    const toolResults = [...(this.luggage?.toolResults ?? []), ...results].slice(-resultLimit);
    this.luggage = { toolResults };
  }

  /** Sends what waits, one after another. While one is on its way, the status is `replying` and a second run does nothing. */
  async pump(life: AbortSignal): Promise<void> {
    while (!life.aborted && this.conversation.snapshot().status === 'ready') {
      const next = this.#next();
      if (next === undefined) break;
      await this.#send(next, life);
    }
  }

  /** Lets what failed and may succeed now wait again. */
  requeue(key?: string): void {
    if (!this.world.isOnline()) return;
    const { snapshot, apply } = this.conversation;
    for (const message of snapshot().messages.filter(isUnsent)) {
      const { status, problem } = message;
      if (status !== 'failed' || problem === undefined) continue;
      if (message.key === key || isPassing(problem)) apply({ type: 'requeued', key: message.key });
    }
  }

  /** Takes a message out that the service certainly does not have, and gives its text; `''` for any other. */
  takeBack(key: string): string {
    const { snapshot, apply } = this.conversation;
    const message = snapshot().messages.find((message) => message.key === key);
    if (!/^(queued|failed)$/.test(message?.status ?? '')) return '';
    if (this.attempts.has(key) || this.unclaimed.has(key)) return '';
    apply({ type: 'taken-back', key });
    return (message as Message).text;
  }

  /** Ends the reply under way where it is. */
  stop(): void {
    this.#stop?.abort();
  }

  /** The page has taken the chat away: what is not on its way belongs to whoever is there first. */
  letGo(): void {
    const { tabs, store } = this.world;
    const tab = tabs?.tab();
    if (!tab) return;
    const keys = this.kept.pending.map(({ key }) => key);
    for (const key of keys) this.unclaimed.set(key, tab);
    store.disown(keys);
    tabs?.release();
  }

  /** Forgets what became of messages: another conversation begins. */
  clear(): void {
    this.attempts.clear();
    this.stop();
  }

  /** What may be sent now. A message that may have arrived already comes first, and one that waits holds the later ones up. */
  #next(): Message | undefined {
    const waiting = this.conversation
      .snapshot()
      .messages.filter(
        (message) =>
          isUnsent(message) &&
          !this.unclaimed.has(message.key) &&
          (message.status !== 'failed' || message.problem === undefined || isPassing(message.problem)),
      );
    const next = waiting.find(({ key }) => this.attempts.has(key)) ?? waiting[0];
    return next?.status === 'queued' ? next : undefined;
  }

  async #send(message: Message, life: AbortSignal): Promise<void> {
    const { apply } = this.conversation;
    const { key } = message;
    const { now, isOnline, tabs } = this.world;
    tabs?.hold();
    const stop = (this.#stop = new AbortController());
    const startedAt = now();
    let send;
    try {
      if (isOnline()) {
        apply({ type: 'sending', key });
        ({ send } = await loadSend());
      }
    } catch {
      // As without a connection.
    }
    if (life.aborted) return;
    if (send) {
      await send(this, message, startedAt, life, stop.signal);
      return;
    }
    const error = new ChatError('network', 'There is no connection.');
    const problem = problemFrom(error, now(), isOnline());
    apply({ type: 'send-failed', key, problem, fateUnknown: this.attempts.has(key) });
    this.listener.onProblem(problem);
  }
}

/** What sends and streams is loaded while the visitor writes the first message. */
export function loadSend(): Promise<{ readonly send: typeof send }> {
  return import('./send.ts');
}
