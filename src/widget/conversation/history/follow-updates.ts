import type { ChatError } from '../../../client/chat-client.ts';
import { watchConversation, type WatchedEvent } from '../../../client/watch-conversation.ts';
import { applyRecord } from './apply-record.ts';
import { sleep } from '../sending/sleep.ts';
import type { Session } from '../session.ts';
import type { Message } from '../snapshot.ts';
import { runInOneTab } from '../tabs/run-in-one-tab.ts';
import { readConversation } from './request-conversation.ts';

/*
 * Messages that arrive without a request of this page: from a person, from a slow service, from another device.
 */

/** Pauses between two polling requests, in milliseconds. They grow while there are no updates. */
const polling = { shortest: 2000, longest: 30_000, growth: 1.6 };

/** Pauses before a broken event stream is opened again, or a failed reading is repeated, in milliseconds. */
const reconnecting = { shortest: 1000, longest: 60_000, growth: 2 };

/** Milliseconds before a history that has changed while it was read is read again. */
const rereadPause = 900;

/** Milliseconds after which a service that had no event streams is asked for them again. */
const missingFor = 600_000;

/** How many of the latest messages are compared with that of an event. */
const recentMessages = 8;

const updatesBySession = new WeakMap<Session, Updates>();

/** Whether each service supports event streams, by its client. */
const services = new WeakMap<object, { hasStreams?: true; missingUntil?: number }>();

export interface UpdatesOptions {
  /** Whether an update is likely, as during a handoff. Only then are services without event streams polled. */
  readonly isExpected: boolean;
  /** Whether to start with a request, because there may be updates already. */
  readonly isDue: boolean;
  readonly signal: AbortSignal;
}

/**
 * Follows the updates of a conversation over the service's event stream, which only one of several tabs with this
 * conversation keeps open, or by polling if the service has none. Ends when the signal aborts, or if there is nothing to
 * follow.
 */
export function followUpdates(session: Session, options: UpdatesOptions): Promise<void> {
  const updates = updatesBySession.get(session) ?? new Updates(session);
  updatesBySession.set(session, updates);
  return updates.follow(options);
}

/** The updates of one session. */
class Updates {
  readonly #session: Session;
  /** The cursor of the latest event. */
  #cursor: string | undefined;
  /** Whether there was an event stream before. */
  #hasFollowed = false;
  /** A running update. Events that arrive meanwhile share one further request. */
  #running: { isDueAgain: boolean; done: Promise<boolean> } | undefined;
  /** Whether the latest reading failed: no further event announces what it would have read. */
  #isStale = false;
  /** The signal of the latest `follow`, until that ends. */
  #signal: AbortSignal | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  async follow(options: UpdatesOptions): Promise<void> {
    const { signal, isExpected } = options;
    const { client, now, tabs } = this.#session.environment;
    this.#signal = signal;
    try {
      if (this.#isStale || (options.isDue && isExpected)) await this.#update();
      const stream = (): Promise<void> => this.#followEvents(options);
      if ((services.get(client)?.missingUntil ?? 0) <= now())
        await (tabs ? runInOneTab(tabs, `events:${this.#session.id as string}`, signal, stream) : stream());
      if (!signal.aborted && isExpected) await this.#poll(signal);
    } finally {
      if (this.#signal === signal) this.#signal = undefined;
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    let pause = polling.shortest;
    while (!signal.aborted) {
      await sleep(pause, signal);
      const hasNews = await this.#update();
      pause = hasNews ? polling.shortest : Math.min(pause * polling.growth, polling.longest);
    }
  }

  /** Ends when the signal aborts, or if the service has no event streams. */
  async #followEvents({ signal, isExpected }: UpdatesOptions): Promise<void> {
    const session = this.#session;
    const { client, now } = session.environment;
    let pause = reconnecting.shortest;
    while (!signal.aborted) {
      const openedAt = now();
      let isMissing: boolean;
      try {
        isMissing = !(await watchConversation(client, session.id as string, {
          lastEventId: this.#lastEventId,
          signal,
          onOpen: () => {
            services.set(client, { hasStreams: true });
            // Without a cursor the stream starts now, and misses messages since the previous stream.
            if (this.#hasFollowed && !this.#lastEventId) void this.#update();
            this.#hasFollowed = true;
          },
          onEvent: (event, id) => {
            if (id !== undefined) this.#cursor = id;
            if (isNew(session, event)) void this.#update();
          },
        }));
      } catch (error) {
        signal.throwIfAborted();
        const { code, retryAfter = 0 } = error as ChatError;
        // Either the operation or the conversation does not exist. Reading the conversation shows which.
        isMissing = code === 'conversation-not-found' || code === 'refused';
        if (isMissing || isExpected) void this.#update();
        pause = Math.max(pause, retryAfter * 1000);
      }
      // A service that had streams before has them again: a proxy may answer while it restarts.
      if (isMissing && !services.get(client)?.hasStreams) {
        services.set(client, { missingUntil: now() + missingFor });
        return;
      }
      if (now() - openedAt > reconnecting.longest) pause = reconnecting.shortest;
      await sleep(pause * (0.5 + Math.random()), signal);
      pause = Math.min(pause * reconnecting.growth, reconnecting.longest);
    }
  }

  get #isFollowed(): boolean {
    return this.#signal?.aborted === false;
  }

  get #lastEventId(): string | undefined {
    return this.#cursor ?? this.#session.eventsCursor;
  }

  /**
   * Reads the conversation, and again if called meanwhile, or if that failed. Resolves with whether there were new
   * messages. A reading also completes if its stream is replaced meanwhile, since the next stream begins after the events
   * of this one.
   */
  #update(): Promise<boolean> {
    if (this.#running) {
      this.#running.isDueAgain = true;
      return this.#running.done;
    }
    const state = { isDueAgain: true, done: Promise.resolve(false) };
    const run = async (): Promise<boolean> => {
      let hasNews = false;
      let pause = reconnecting.shortest;
      try {
        while (state.isDueAgain && !this.#session.signal.aborted) {
          state.isDueAgain = false;
          const result = await readUpdates(this.#session);
          hasNews ||= result === 'news';
          this.#isStale = result === 'failed';
          if (!this.#isStale || !this.#signal) continue;
          await sleep(pause, this.#signal).catch(() => undefined);
          pause = Math.min(pause * reconnecting.growth, reconnecting.longest);
          state.isDueAgain ||= this.#isFollowed;
        }
      } catch {
        // Aborted while waiting.
      } finally {
        this.#running = undefined;
      }
      return hasNews;
    };
    this.#running = state;
    state.done = run();
    return state.done;
  }
}

/** Whether an event is news to this page. The stream also reports the exchanges of this page and other tabs. */
function isNew({ snapshot, environment }: Session, { type, data }: WatchedEvent): boolean {
  if (type === 'handoff') return data['ai_enabled'] !== snapshot.aiEnabled;
  if (type !== 'message') return type === 'ended';
  const { role, content, in_reply_to } = data;
  if (role !== 'user' && !in_reply_to) return true;
  // The same text may be new, too, as in a second “Yes”. The exchange's other message then shows which.
  const isKnown = ({ text }: Pick<Message, 'text'>): boolean => text.trim() === String(content).trim();
  return (
    snapshot.status !== 'replying' &&
    !snapshot.messages.slice(-recentMessages).some(isKnown) &&
    !environment.store.stored.pending.some(isKnown)
  );
}

/** Reads the conversation once no exchange or call of this page is in progress. */
export async function readUpdates(session: Session): Promise<'news' | 'unchanged' | 'failed'> {
  const { signal } = session;
  const { listener } = session.conversation;
  // An exchange or call of this page changes the history while it runs.
  while (session.snapshot.status === 'replying' || session.snapshot.call) await sleep(200, signal);
  const { messages } = session.snapshot;
  let record;
  try {
    record = await readConversation(session.environment.client, session.id as string, signal);
  } catch (error) {
    const { code, message } = error as ChatError;
    if (code === 'conversation-not-found') session.fail({ code, message });
    return 'failed';
  }
  if (signal.aborted) return 'failed';
  // The response may be older than changes made meanwhile. While another tab streams an answer, they do not end.
  if (session.snapshot.messages !== messages) {
    await sleep(rereadPause, signal);
    return readUpdates(session);
  }
  return applyRecord(session, record, listener.onAnswer) ? 'news' : 'unchanged';
}
