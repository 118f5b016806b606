import { toJson } from '../../client/to-json.ts';
import { ChatError, type ToolResult } from '../../client/chat-client.ts';
import type { Conversation } from './conversation.ts';
import type { Environment } from './environment.ts';
import {
  openConversation,
  readConversation,
  setupProblemOf,
  variablesOf,
  type ConversationRecord,
} from './history/request-conversation.ts';
import { isTemporary, isTokenProblem, problemFrom, type Problem } from './problem.ts';
import { reduce, type ConversationEvent } from './reduce.ts';
import { fingerprint } from './sending/fingerprint.ts';
import { countReceived, emptySnapshot, isUnsent, type Message, type Snapshot } from './snapshot.ts';
import type { Attempt, Extras, StoredConversation, PendingMessage } from './storage/stored-conversation.ts';

/** The data needed to return to a conversation that the visitor left. */
export interface Bookmark extends Pick<StoredConversation, 'choices' | 'seen' | 'toolResults'> {
  readonly conversationId: string;
  /** The variables that the service has, as JSON. */
  readonly sentVariables?: string | undefined;
}

/** What a session can restore: the state that an earlier visit stored, or a bookmark. */
export type RestoredState = Partial<StoredConversation> & Pick<Bookmark, 'sentVariables'>;

/** Begins the key of an opening that must not resume the user's latest conversation, also after a reload. */
export const newPrefix = 'new-';

/**
 * Maximum number of tool results per message. Repeats the contract's limit, whose module only pages with tools load.
 */
const maxToolResults = 16;

/** Maximum number of fingerprints that identify an attempt's position in a long history. */
const maxFingerprints = 8;

/**
 * The state of one conversation: its snapshot, its outbox, and the data sent with its messages. A session is discarded
 * when the visitor leaves the conversation, so that none of its state can reach the next one.
 *
 * The outbox holds the visitor's messages that the service has not confirmed. They are sent one by one, in order, each
 * exactly once. A message that the service accepted but has not answered is `late`.
 */
export class Session {
  readonly conversation: Conversation;
  /** Whether the visitor left another conversation: opening must not resume that one. */
  #isNew: boolean;
  snapshot: Snapshot = emptySnapshot;
  /** The service's ID; undefined until the conversation is opened. */
  id: string | undefined;
  /** The cursor at which the events after the opening begin. */
  eventsCursor: string | undefined;
  readonly #controller = new AbortController();
  /** The attempts of messages that were sent but not confirmed, by key. */
  readonly #attempts = new Map<string, Attempt>();
  /** Messages that may belong to another tab, with that tab's name. They are not sent until that tab has closed. */
  readonly #unclaimed = new Map<string, string>();
  #toolResults: readonly ToolResult[] = [];
  /** Idempotency key of an unconfirmed opening, so that a retry does not open a second conversation. */
  #openingKey: string | undefined;
  /**
   * The variables that the service has, as JSON. Not stored: after a reload, the next message is sent with all variables
   * of the page, which the service merges.
   */
  #sentVariables: string | undefined;
  /** Number of received messages that were read at the last visit. */
  #seenBefore = 0;
  #stop: AbortController | undefined;

  constructor(conversation: Conversation, isNew = false) {
    this.conversation = conversation;
    this.#isNew = isNew;
  }

  get environment(): Environment {
    return this.conversation.environment;
  }

  /** Aborts when the session is discarded. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends everything that is in progress. Later events are ignored. */
  discard(): void {
    this.#controller.abort();
    this.stop();
  }

  /** Requests the deletion of the conversation; if it is being opened, as soon as it has an ID. */
  delete(): void {
    this.environment.pendingDeletions.requestDeletion(this.id);
    this.#openingKey = undefined;
  }

  /** Applies an event to the snapshot. */
  apply(event: ConversationEvent): void {
    if (this.signal.aborted) return;
    this.snapshot = Object.freeze(reduce(this.snapshot, event, this.conversation.isVisible));
    this.conversation.changed(event);
  }

  /** Restores the state that an earlier visit stored, or a bookmark. */
  restore({
    conversationId,
    pending = [],
    toolResults = [],
    openingKey,
    seen = 0,
    unread = 0,
    choices,
    sentVariables,
  }: RestoredState): void {
    this.id = conversationId;
    this.#toolResults = toolResults;
    this.#sentVariables = sentVariables;
    this.#openingKey = openingKey;
    this.#isNew ||= openingKey?.startsWith(newPrefix) ?? false;
    this.#seenBefore = seen;
    for (const { key, tab, attempt } of pending) {
      // The page that sent it may have closed a moment ago, with the request still in flight.
      this.#keepAttempt(key, attempt);
      if (tab) this.#unclaimed.set(key, tab);
    }
    const event = { type: 'restored', pending, unread, choices } as const;
    this.snapshot = Object.freeze(reduce(this.snapshot, event, true));
  }

  /** The part of the stored conversation that this session owns. */
  get stored(): Omit<StoredConversation, 'draft' | 'isOpen'> {
    const tab = this.environment.tabs?.tab();
    const { messages, unread, choices } = this.snapshot;
    return {
      conversationId: this.id,
      pending: messages
        .filter(
          (message) =>
            !this.#unclaimed.has(message.key) &&
            // A message whose answer is streaming has arrived, but it is not confirmed yet.
            (isUnsent(message) || this.#attempts.has(message.key)),
        )
        .map(({ key, text, at = 0 }) => ({ key, text, at, tab, attempt: this.#attempts.get(key) })),
      toolResults: this.#toolResults.length > 0 ? this.#toolResults : undefined,
      openingKey: this.#openingKey,
      seen: this.seen,
      unread,
      choices,
    };
  }

  /** Number of received messages that were read. */
  get seen(): number {
    const { conversationId, messages, unread } = this.snapshot;
    return conversationId === undefined ? this.#seenBefore : countReceived(messages) - unread;
  }

  get bookmark(): Bookmark | undefined {
    if (this.id === undefined) return undefined;
    return {
      conversationId: this.id,
      choices: this.snapshot.choices,
      seen: this.seen,
      toolResults: this.#toolResults,
      sentVariables: this.#sentVariables,
    };
  }

  /** Opens a conversation, or resumes the stored one. Returns whether its messages can be sent. */
  async open(): Promise<boolean> {
    const { now } = this.environment;
    const startedAt = now();
    const resumed = this.id !== undefined;
    const request = this.conversation.request();
    const { isGateClosed, userToken } = request;
    if (!resumed && isGateClosed) {
      this.apply({ type: 'gate-closed' });
      return false;
    }
    const setupProblem = setupProblemOf(request);
    if (!resumed && setupProblem) {
      this.fail(setupProblem);
      return false;
    }
    try {
      const [conversationId, record] = await (this.id === undefined
        ? this.#openNew()
        : this.#resume(this.id));
      if (this.signal.aborted) return false;
      this.id = conversationId;
      this.eventsCursor = record.eventsCursor;
      const seen = resumed ? this.seen : undefined;
      this.apply({ type: 'opened', conversationId, record, openedIn: now() - startedAt, seen });
      const hasHistory = record.history.some(({ role }) => role === 'user');
      this.conversation.listener.onReady(conversationId, resumed || hasHistory);
      // If the page has removed the chat meanwhile, its messages are left to others.
      return !this.conversation.isDisconnected;
    } catch (error) {
      if (this.signal.aborted) return false;
      const problem = this.problemFrom(error);
      // Services delete conversations without a visitor's message.
      if (resumed && problem.code === 'conversation-not-found' && this.isUnused) {
        this.id = undefined;
        return this.open();
      }
      // The page has renewed the token meanwhile.
      if (isTokenProblem(problem) && this.conversation.request().userToken !== userToken) return this.open();
      this.fail(problem);
      return false;
    }
  }

  /** Whether the visitor has received at most the initial message, and sent nothing. */
  get isUnused(): boolean {
    return this.seen + this.snapshot.unread <= 1 && this.#attempts.size === 0;
  }

  async #openNew(): Promise<[conversationId: string, record: ConversationRecord]> {
    const { client, newKey, pendingDeletions } = this.environment;
    const request = { ...this.conversation.request(), isNew: this.#isNew };
    const variables = variablesOf(request);
    // An idempotency key belongs to one request: another assistant or other variables need another key.
    const suffix = `-${fingerprint(toJson([request.assistantId, request.type, variables]))}`;
    const prefix = this.#isNew ? newPrefix : '';
    const key = this.#openingKey?.endsWith(suffix) ? this.#openingKey : prefix + newKey() + suffix;
    this.#openingKey = key;
    // Stored before it is sent: a page may close at any moment.
    this.apply({ type: 'opening' });
    // Not aborted with the session: only the response has the ID of a conversation to delete.
    const opened = await openConversation(client, request, key);
    if (!this.#openingKey) pendingDeletions.requestDeletion(opened[0]);
    this.#openingKey = undefined;
    this.#sentVariables = toJson(variables);
    return opened;
  }

  async #resume(id: string): Promise<[conversationId: string, record: ConversationRecord]> {
    this.apply({ type: 'opening' });
    const record = await readConversation(this.environment.client, id, this.signal);
    if (this.#attempts.size === 0) return [id, record];
    const { withoutPending } = await this.environment.loadMessaging();
    return [id, withoutPending(this, record)];
  }

  /** Marks the conversation as failed: it cannot continue. */
  fail(problem: Problem): void {
    if (this.signal.aborted) return;
    this.apply({ type: 'failed', problem });
    this.conversation.listener.onProblem(problem);
    this.conversation.retryAt(problem.retryAt);
  }

  problemFrom(error: unknown): Problem {
    return problemFrom(error, this.environment.now(), this.environment.isOnline());
  }

  /**
   * Sends pending messages one after another. While one is in flight, the status is `replying` and a second call does
   * nothing.
   */
  async sendPending(): Promise<void> {
    while (!this.signal.aborted && this.snapshot.status === 'ready') {
      const next = this.#next();
      if (next === undefined) break;
      await this.#send(next);
      // The page removed the chat meanwhile.
      if (this.conversation.isDisconnected) this.release();
    }
  }

  /**
   * Returns the next message to send. Messages that may have arrived already come first; a failed one blocks later
   * ones.
   */
  #next(): Message | undefined {
    const waiting = this.snapshot.messages.filter(
      (message) =>
        isUnsent(message) &&
        !this.#unclaimed.has(message.key) &&
        (message.status !== 'failed' || message.problem === undefined || isTemporary(message.problem)),
    );
    const next = waiting.find(({ key }) => this.#attempts.has(key)) ?? waiting[0];
    return next?.status === 'queued' ? next : undefined;
  }

  async #send(message: Message): Promise<void> {
    const { now, isOnline, tabs, loadMessaging } = this.environment;
    const { key } = message;
    tabs?.hold();
    const stop = (this.#stop = new AbortController());
    const startedAt = now();
    try {
      if (!isOnline()) throw new ChatError('network', 'There is no connection.');
      this.apply({ type: 'sending', key });
      const { deliver } = await loadMessaging();
      if (!this.signal.aborted) await deliver(this, message, startedAt, stop.signal);
    } catch (error) {
      if (this.signal.aborted) return;
      const problem = this.problemFrom(error);
      this.apply({ type: 'send-failed', key, problem, outcomeUnknown: this.#attempts.has(key) });
      this.conversation.listener.onProblem(problem);
    }
  }

  /** Queues failed messages again if another attempt can succeed; the message with `key` in any case. */
  requeue(key?: string): void {
    if (!this.environment.isOnline()) return;
    for (const message of this.snapshot.messages.filter(isUnsent)) {
      const { status, problem } = message;
      if (status !== 'failed' || problem === undefined) continue;
      if (message.key === key || isTemporary(problem)) this.apply({ type: 'requeued', key: message.key });
    }
  }

  /** Removes a message that the service certainly does not have. Returns its text, or `''` for any other message. */
  withdraw(key: string): string {
    const message = this.snapshot.messages.find((message) => message.key === key);
    if (!/^(queued|failed)$/.test(message?.status ?? '')) return '';
    if (this.#attempts.has(key) || this.#unclaimed.has(key)) return '';
    this.apply({ type: 'removed', keys: [key] });
    return (message as Message).text;
  }

  /** Ends the reply in progress. */
  stop(): void {
    this.#stop?.abort();
  }

  /** Adds a result to send with the next message. */
  addToolResult(result: ToolResult): void {
    this.setToolResults([...this.#toolResults, result]);
  }

  /** Replaces the results to send with the next message. If there are too many, the oldest are dropped. */
  setToolResults(results: readonly ToolResult[] = []): void {
    this.#toolResults = results.slice(-maxToolResults);
  }

  /** The attempt of a message that was sent and not confirmed. */
  attemptOf(key: string): Attempt | undefined {
    return this.#attempts.get(key);
  }

  /**
   * Stores that a message is about to be sent: the page may close at any moment. The first attempt takes the tool results
   * and changed variables that the message is sent with. Later attempts repeat them, because an idempotency key belongs
   * to one request.
   */
  beginAttempt(key: string): Attempt {
    const attempt = {
      ...(this.#attempts.get(key) ?? { ...this.#nextPosition(), extras: this.#takeExtras() }),
      at: this.environment.now(),
    };
    this.#attempts.set(key, attempt);
    this.apply({ type: 'sending', key });
    return attempt;
  }

  /** Where the next message will be in the history. */
  #nextPosition(): Pick<Attempt, 'sentAfter' | 'prints'> {
    const sent = this.snapshot.messages.filter(({ role, status }) => role === 'user' && status === 'sent');
    return {
      sentAfter: sent.length,
      prints: sent.slice(-maxFingerprints).map(({ text }) => fingerprint(text.trim())),
    };
  }

  /** Returns the data to send with a message. From now on, it counts as sent: tool results are removed. */
  #takeExtras(): Extras {
    const variables = variablesOf(this.conversation.request(), this.snapshot.choices?.answered);
    const json = toJson(variables);
    const extras = {
      toolResults: this.#toolResults.length > 0 ? this.#toolResults : undefined,
      variables: json === this.#sentVariables ? undefined : variables,
    };
    this.#sentVariables = json;
    this.#toolResults = [];
    return extras;
  }

  /** Records that a message may be in flight now. */
  renewAttempt(key: string): void {
    this.#keepAttempt(key, this.#attempts.get(key));
  }

  #keepAttempt(key: string, attempt: Attempt | undefined): void {
    if (attempt) this.#attempts.set(key, { ...attempt, at: this.environment.now() });
  }

  /** Removes the attempt of a message that the service did not accept; its extras are sent with the next message. */
  revokeAttempt(key: string): void {
    const { toolResults = [] } = this.#attempts.get(key)?.extras ?? {};
    this.#attempts.delete(key);
    // The service may not have them: the next message is sent with all variables.
    this.#sentVariables = undefined;
    this.setToolResults([...toolResults, ...this.#toolResults]);
  }

  /** Removes the attempt of a message whose outcome is known. */
  endAttempt(key: string): void {
    this.#attempts.delete(key);
  }

  /** Messages of this tab that were sent and not confirmed. */
  get unconfirmed(): readonly (Message & { readonly attempt: Attempt })[] {
    if (this.#attempts.size === 0) return [];
    return this.snapshot.messages.flatMap((message) => {
      const attempt = this.#attempts.get(message.key);
      return attempt && !this.#unclaimed.has(message.key) ? { ...message, attempt } : [];
    });
  }

  /** Messages that the service accepted but has not answered. */
  get late(): readonly Message[] {
    return this.unconfirmed.filter(({ status }) => status === 'sent');
  }

  get hasUnclaimed(): boolean {
    return this.#unclaimed.size > 0;
  }

  /** Claims all unclaimed messages for this tab. */
  claimAll(): void {
    this.#unclaimed.clear();
  }

  /** Removes unclaimed messages: they were sent meanwhile, or belong to another tab. */
  dropUnclaimed(): void {
    const keys = [...this.#unclaimed.keys()];
    if (keys[0]) this.apply({ type: 'removed', keys });
    // Otherwise this tab would take the answer for one to its own message.
    for (const key of keys) this.#attempts.delete(key);
    this.#unclaimed.clear();
  }

  /** Claims messages of a closed tab. */
  claim(messages: readonly PendingMessage[]): void {
    this.apply({ type: 'removed', keys: messages.map(({ key }) => key) });
    for (const { key, text, at, attempt } of messages) {
      this.#keepAttempt(key, attempt);
      this.#unclaimed.delete(key);
      this.apply({ type: 'queued', key, text, at });
    }
  }

  /** Lets any tab claim the pending messages, because the page removed the chat. */
  release(): void {
    const { tabs, store } = this.environment;
    const tab = tabs?.tab();
    if (!tab || this.signal.aborted) return;
    const keys = this.stored.pending.map(({ key }) => key);
    for (const key of keys) this.#unclaimed.set(key, tab);
    store.releaseMessages(keys);
    tabs?.release();
  }
}
