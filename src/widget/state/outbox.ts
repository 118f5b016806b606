import { ChatError, type ToolResult } from '../../client/chat-client.ts';
import type { Attempt, KeptConversation } from './conversation-store.ts';
import type { ConversationListener, ConversationWorld } from './conversation.ts';
import { deliver, findDelivered, type Delivered, type Delivery } from './deliver.ts';
import { isPassing, problemFrom, type Problem } from './problem.ts';
import type { ConversationEvent } from './reduce.ts';
import { variablesOf, type Session, type SessionRequest } from './session.ts';
import { isUnsent, type Message, type Snapshot } from './snapshot.ts';

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

/** How many of a visitor's messages are remembered by their length, to find a place in the end of a long history. */
const rememberedLengths = 8;

/** Results that may go with one message; the contract's limit, which only who has tools would load. */
const resultLimit = 16;

/**
 * What the visitor wrote and the service has not confirmed. It goes out one by one, in order, and each exactly once; a
 * message that the service took in, but nobody has answered, is `late` until an answer is found.
 */
export class Outbox {
  readonly #world: ConversationWorld;
  readonly #listener: ConversationListener;
  readonly #conversation: OutboxConversation;
  /** Of every message that was sent and not confirmed. */
  readonly #attempts = new Map<string, Attempt>();
  #toolResults: readonly ToolResult[] | undefined;
  /** The variables that the service knows, as JSON. */
  #told: string | undefined;
  #underWay: { readonly delivery: Delivery; readonly stop: AbortController } | undefined;

  constructor(world: ConversationWorld, listener: ConversationListener, conversation: OutboxConversation) {
    this.#world = world;
    this.#listener = listener;
    this.#conversation = conversation;
  }

  /** Goes on with what an earlier visit left. */
  restore({ pending, toolResults }: KeptConversation): void {
    this.#toolResults = toolResults;
    for (const { key, attempt } of pending) if (attempt) this.#attempts.set(key, attempt);
  }

  /** What this visit leaves to the next one. */
  get kept(): Pick<KeptConversation, 'pending' | 'toolResults'> {
    // A message whose answer streams has arrived, but its answer has not.
    const messages = this.#conversation
      .snapshot()
      .messages.filter((message) => isUnsent(message) || this.#attempts.has(message.key));
    return {
      pending: messages.map(({ key, text, at = 0 }) => ({ key, text, at, attempt: this.#attempts.get(key) })),
      toolResults: this.#toolResults as KeptConversation['toolResults'],
    };
  }

  /** The messages that the service took in and nobody has answered yet. */
  get late(): readonly (Message & { readonly attempt: Attempt })[] {
    return this.#conversation.snapshot().messages.flatMap((message) => {
      const attempt = this.#attempts.get(message.key);
      return attempt && message.status === 'sent' ? [{ ...message, attempt }] : [];
    });
  }

  /** The session as it shows while messages are looked for that it may hold already. */
  async withoutSought(session: Session): Promise<Session> {
    if (this.#attempts.size === 0) return session;
    const { withoutSought } = await import('./look-up.ts');
    const { session: shown, arrived } = withoutSought(
      session,
      this.#conversation.snapshot().messages,
      this.#attempts,
    );
    for (const key of arrived) {
      this.#attempts.delete(key);
      this.#conversation.apply({ type: 'taken-back', key });
    }
    return shown;
  }

  /** The service knows these variables from now on. */
  tell(request: SessionRequest): void {
    this.#told = JSON.stringify(variablesOf(request));
  }

  /** Goes with the next message; of too many, the first are dropped. */
  addToolResult(result: ToolResult): void {
    this.#toolResults = [...(this.#toolResults ?? []), result].slice(-resultLimit);
  }

  /** Sends what waits, one after another. While one is on its way, the status is `replying` and a second run does nothing. */
  async pump(life: AbortSignal): Promise<void> {
    while (!life.aborted && this.#conversation.snapshot().status === 'ready') {
      const next = this.#next();
      if (next === undefined) break;
      await this.#send(next, life);
    }
  }

  /** Lets what failed and may succeed now wait again. */
  requeue(key?: string): void {
    const { snapshot, apply } = this.#conversation;
    if (!this.#world.isOnline()) return;
    for (const message of snapshot().messages.filter(isUnsent)) {
      const { status, problem } = message;
      if (status !== 'failed' || problem === undefined) continue;
      if (message.key === key || isPassing(problem)) apply({ type: 'requeued', key: message.key });
    }
  }

  /** Takes a message out that the service certainly does not have, and gives its text; `''` for any other. */
  takeBack(key: string): string {
    const { snapshot, apply } = this.#conversation;
    const message = snapshot().messages.find((message) => message.key === key);
    const isHere = message?.status === 'queued' || message?.status === 'failed';
    if (!isHere || this.#attempts.has(key)) return '';
    apply({ type: 'taken-back', key });
    return message.text;
  }

  /** Ends the reply under way where it is. */
  stop(): void {
    this.#underWay?.stop.abort();
  }

  /** The service has answered a message, or will not. */
  settle(key: string): void {
    this.#attempts.delete(key);
  }

  /** Forgets what became of messages: another conversation begins. */
  clear(): void {
    this.#attempts.clear();
    this.#told = undefined;
    this.stop();
  }

  /** What may be sent now. A message that may have arrived already comes first, and one that waits holds the later ones up. */
  #next(): Message | undefined {
    const waiting = this.#conversation
      .snapshot()
      .messages.filter(
        (message) =>
          isUnsent(message) &&
          (message.status !== 'failed' || message.problem === undefined || isPassing(message.problem)),
      );
    const next = waiting.find(({ key }) => this.#attempts.has(key)) ?? waiting[0];
    return next?.status === 'queued' ? next : undefined;
  }

  async #send(message: Message, life: AbortSignal): Promise<void> {
    const { client, now, isOnline } = this.#world;
    const { apply, snapshot, request } = this.#conversation;
    const { key } = message;
    if (!isOnline()) {
      this.#fail(message, new ChatError('network', 'The browser has no connection.'));
      return;
    }
    const known = this.#attempts.get(key);
    const attempt = known ?? this.#begin();
    // Written down before it is sent: a page may go away at any moment.
    this.#attempts.set(key, attempt);
    const stop = new AbortController();
    const delivery: Delivery = {
      client,
      conversationId: snapshot().conversationId as string,
      message,
      attempt,
      isRepeat: known !== undefined,
      clientTools: request().clientTools,
      signal: stop.signal,
      now,
      apply,
      onRefused: () => {
        this.#takeApart(key);
      },
    };
    this.#underWay = { delivery, stop };
    apply({ type: 'sending', key });
    try {
      const delivered = await deliver(delivery);
      if (life.aborted) return;
      this.#settle(message, delivered);
    } catch (error) {
      if (life.aborted) return;
      if (stop.signal.aborted) await this.#endStopped(delivery, life);
      else this.#fail(message, error);
    } finally {
      this.#underWay = undefined;
    }
  }

  /** What goes with a message stays with it: the same key stands for the same request. */
  #begin(): Attempt {
    const { snapshot, request } = this.#conversation;
    const sent = snapshot().messages.filter(({ role, status }) => role === 'user' && status === 'sent');
    const variables = variablesOf(request());
    const isNews = JSON.stringify(variables) !== this.#told;
    this.tell(request());
    const toolResults = this.#toolResults;
    this.#toolResults = undefined;
    return {
      sentAfter: sent.length,
      lengths: sent.slice(-rememberedLengths).map(({ text }) => text.trim().length),
      at: this.#world.now(),
      variables: isNews ? variables : undefined,
      toolResults: toolResults as Attempt['toolResults'],
    };
  }

  /** The service did not take the message in: what went with it goes with the next one. */
  #takeApart(key: string): void {
    const { variables, toolResults } = this.#attempts.get(key) as Attempt;
    this.#attempts.delete(key);
    if (variables) this.#told = undefined;
    if (toolResults) this.#toolResults = [...toolResults, ...(this.#toolResults ?? [])];
  }

  #settle({ key, text }: Message, answer: Delivered): void {
    const { apply } = this.#conversation;
    if (answer.text === undefined) {
      apply({ type: 'late', key });
      return;
    }
    this.#attempts.delete(key);
    apply({ type: 'settled' });
    this.#listener.onSent(text);
    if (answer.text) this.#listener.onAnswer(answer.text, answer.latency);
  }

  async #endStopped(delivery: Delivery, life: AbortSignal): Promise<void> {
    const { snapshot, apply, putBack } = this.#conversation;
    const { message, conversationId, client } = delivery;
    const { key, text } = message;
    const hasBegun = snapshot().messages.some((shown) => shown.key === key && shown.status === 'sent');
    const asked = client.stopReply(conversationId).catch(() => undefined);
    if (hasBegun) apply({ type: 'stopped', key, at: this.#world.now() });
    // The next message must not overtake this.
    await asked;
    try {
      const found = hasBegun || (await findDelivered({ ...delivery, signal: life }, 2000, false));
      if (life.aborted) return;
      if (found === undefined) {
        // Stopped before it arrived: it is the visitor's again.
        this.#takeApart(key);
        putBack(text, true);
        apply({ type: 'taken-back', key });
      } else if (!hasBegun) apply({ type: 'stopped', key, at: this.#world.now() });
      this.#attempts.delete(key);
      apply({ type: 'settled' });
      if (found !== undefined) this.#listener.onSent(text);
    } catch (error) {
      if (!life.aborted) this.#fail(message, error);
    }
  }

  #fail({ key, text }: Message, error: unknown): void {
    const { apply, fail, retryAt, putBack } = this.#conversation;
    const problem = problemFrom(error, this.#world.now(), this.#world.isOnline());
    const fateUnknown = this.#attempts.has(key);
    if (problem.code === 'conversation-ended') {
      apply({ type: 'requeued', key });
      apply({ type: 'ended', problem });
      this.#listener.onProblem(problem);
      return;
    }
    // Refused for what it says: the visitor can change it, and a new visit does not send it again.
    if (problem.code === 'invalid-request' && !fateUnknown) putBack(text, false);
    apply({ type: 'send-failed', key, problem, fateUnknown });
    if (problem.code === 'conversation-not-found') fail(problem);
    else this.#listener.onProblem(problem);
    retryAt(problem.retryAt);
  }
}
