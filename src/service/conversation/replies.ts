import { randomUUID } from 'node:crypto';
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { EngineContextDependencies } from '../assistant/engine-context.ts';
import type { Database } from '../db/database.ts';
import { fitJson } from '../lib/storable.ts';
import { prepared } from '../db/prepared.ts';
import { retryDuringOutage } from '../db/retry-during-outage.ts';
import { messages } from '../db/schema.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine, ReplyEvent } from '../engine/engine.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import type { AcceptedMessage, Answerer } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { EndingDependencies } from './end-conversation.ts';
import { maxVisitorDataBytes } from '../assistant/visitor-data-limit.ts';
import { buildEngineRequest } from './engine-request.ts';
import { Reply } from './reply.ts';
import { failReply } from './fail-reply.ts';
import type { FailureReasons } from './fail-reply.ts';
import { storeAnswer } from './store-answer.ts';
import type { Answer, NewAnswer, SettledAnswer } from './store-answer.ts';
import { StopRequests, replyStopped } from './stop-requests.ts';
import { countReply, recordFirstToken } from '../telemetry/instruments.ts';
import { conversationKey, pollUntil } from './change-notifier.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { ChangeNotifier } from './change-notifier.ts';

/** Longest reply, in UTF-16 code units; the rest is cut off. */
export const replyLimit = 32_000;

/** Longest wait for the earlier replies of the conversation, in milliseconds; longer if replies may take longer. */
const minTurnTimeoutMs = 300_000;

/** Time to store an answer, in milliseconds. */
const storingMs = 30_000;

/** Key of the signal that the reply to a message is settled: stored or failed. */
export const replySettledKey = (messageId: number): string => `message ${messageId}`;

/**
 * The replies that this process writes. Replies of one conversation are written one after the other, across processes;
 * no database connection is held while an engine answers.
 */
export class Replies implements Answerer {
  /** Marks the messages that this process answers. */
  readonly lease: Lease;
  readonly #dependencies: EngineContextDependencies & EndingDependencies;
  readonly #database: Database;
  readonly #engine: Engine;
  readonly #notifier: ChangeNotifier;
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #pending = new Map<number, { reply: Reply; done: Promise<void> }>();
  readonly #stops: StopRequests;
  readonly #closing = new AbortController();

  constructor(
    dependencies: EngineContextDependencies &
      EndingDependencies & {
        engine: Engine;
        notifier: ChangeNotifier;
        config: { timeoutMs: number; leaseMs: number };
        log: Logger;
      },
  ) {
    this.#dependencies = dependencies;
    this.#database = dependencies.database;
    this.#engine = dependencies.engine;
    this.#notifier = dependencies.notifier;
    this.#timeoutMs = dependencies.config.timeoutMs;
    this.#log = dependencies.log;
    this.#stops = new StopRequests(dependencies.database);
    this.lease = { owner: randomUUID(), milliseconds: dependencies.config.leaseMs };
  }

  /** Starts the reply to a message that was accepted with {@link lease}. */
  start(message: AcceptedMessage): Reply {
    const reply = new Reply();
    this.#pending.set(message.id, { reply, done: this.#run(message, reply) });
    return reply;
  }

  /** Starts the reply once the database is available. Otherwise, the visitor would wait until the lease has expired. */
  async startIfStored(message: AcceptedMessage): Promise<void> {
    try {
      const stored = await retryDuringOutage(() => this.#extendLeases([message.id]), {
        mayRetry: () => !this.#closing.signal.aborted,
        onFirstFailure: (cause) => {
          this.#log.warn({ err: cause }, 'a message may have been stored; retrying');
        },
      });
      if (stored.length > 0) this.start(message);
    } catch (cause) {
      this.#log.error({ err: cause }, 'a message may have been stored, but is not answered');
    }
  }

  /** Longest wait for the earlier replies of the conversation, in milliseconds. */
  get #turnTimeoutMs(): number {
    return Math.max(minTurnTimeoutMs, 2.5 * this.#timeoutMs);
  }

  /** Longest time until the reply to an accepted message is settled, in milliseconds. */
  get longestMs(): number {
    return this.#turnTimeoutMs + this.#timeoutMs + storingMs;
  }

  /** The reply to a message, if this process is writing it. */
  find(messageId: number): Reply | undefined {
    return this.#pending.get(messageId)?.reply;
  }

  /** Stops the reply to a message, if this process is writing it. The text so far becomes the answer. */
  stop(messageId: number): void {
    this.#stops.stop(messageId);
  }

  /** Aborts the reply to a message, because its conversation was deleted. */
  discard(messageId: number): void {
    this.#stops.discard(messageId);
  }

  /** Renews the leases of the replies that this process is writing. */
  async renewLeases(): Promise<void> {
    if (this.#pending.size > 0) await this.#extendLeases([...this.#pending.keys()]);
  }

  /** Leaves those that another transaction has locked to the next round, as `LeasedCalls` does. */
  #extendLeases(messageIds: number[]): Promise<{ id: number }[]> {
    const { db } = this.#database;
    const unlocked = db
      .select({ id: messages.id })
      .from(messages)
      .where(
        and(
          inArray(messages.id, messageIds),
          eq(messages.replyState, 'pending'),
          eq(messages.replyOwner, this.lease.owner),
        ),
      )
      .for('no key update', { skipLocked: true });
    return db
      .update(messages)
      .set({ replyLeaseUntil: leaseEnd(this.lease.milliseconds) })
      .where(inArray(messages.id, unlocked))
      .returning({ id: messages.id });
  }

  /** Waits for the pending replies; after `milliseconds`, fails the rest. */
  async finish(milliseconds: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.#closing.abort(new EngineError('the service is being restarted; please send the message again'));
    }, milliseconds);
    await Promise.all([...this.#pending.values()].map(({ done }) => done));
    clearTimeout(deadline);
  }

  async #run(message: AcceptedMessage, reply: Reply): Promise<void> {
    const stop = this.#stops.watch(message.id);
    try {
      if (message.isQueued) await this.#waitForTurn(message);
      const answer = await withTimeout(this.#timeoutMs, [this.#closing.signal, stop], (signal) =>
        this.#generate(message, reply, signal),
      );
      const settled = await this.#store(message, answer);
      if (!settled) throw new EngineError('the answer took too long; please send the message again');
      reply.complete(settled);
      countReply('answered');
    } catch (error) {
      if (error instanceof ConversationError) reply.fail(error);
      else await this.#fail(message, reply, error);
    } finally {
      this.#stops.release(message.id);
      this.#pending.delete(message.id);
      this.#notifier.notify(conversationKey(message.conversationId));
      this.#notifier.notify(replySettledKey(message.id));
    }
  }

  async #generate(message: AcceptedMessage, reply: Reply, signal: AbortSignal): Promise<NewAnswer> {
    const { request, leftOut } = await buildEngineRequest(this.#dependencies, message);
    if (leftOut.length > 0) {
      const { uuid: assistant } = request.assistant;
      this.#log.warn(
        { assistant, leftOut },
        'a prompt had no room for all data of the page; some was omitted',
      );
    }
    const answer: NewAnswer = { text: '', functionCalls: [], problem: describeLeftOut(leftOut) };
    try {
      signal.throwIfAborted();
      for await (const event of this.#engine.reply(request, signal)) {
        // A function that has run is recorded although the reply was stopped: otherwise the model would repeat it.
        if (event.type === 'delta') signal.throwIfAborted();
        // The page runs nothing for a reply that was stopped.
        else if (event.client && signal.aborted) continue;
        addEvent(event, answer, reply);
        if (answer.text.length >= replyLimit) break;
      }
    } catch (error) {
      // Engines and libraries throw their own errors when aborted; the signal has the reason.
      if (signal.reason !== replyStopped) {
        signal.throwIfAborted();
        throw error;
      }
    }
    if (answer.text.trim() === '' && answer.functionCalls.length === 0 && signal.reason !== replyStopped) {
      throw new EngineError('the assistant did not answer', {
        ownerReason: 'the language model returned an empty answer',
      });
    }
    return { ...answer, text: answer.text.toWellFormed() };
  }

  /** Waits for the database for up to a lease: the answer may be stored already, and its tools may have acted. */
  async #store(message: AcceptedMessage, answer: NewAnswer): Promise<SettledAnswer | undefined> {
    const deadline = performance.now() + this.lease.milliseconds;
    return retryDuringOutage(() => storeAnswer(this.#dependencies, message, this.lease.owner, answer), {
      mayRetry: () => performance.now() <= deadline && !this.#closing.signal.aborted,
      onFirstFailure: (cause) => {
        this.#log.warn({ err: cause }, 'an answer could not be stored; retrying');
      },
    });
  }

  async #waitForTurn(message: AcceptedMessage): Promise<void> {
    const { db } = this.#database;
    const isFirst = async () => {
      const earlier = await selectPendingBefore(db, message);
      return earlier.length > 0 ? undefined : true;
    };
    const milliseconds = this.#turnTimeoutMs;
    try {
      await withTimeout(milliseconds, [this.#closing.signal], (signal) =>
        pollUntil(this.#notifier, conversationKey(message.conversationId), isFirst, signal),
      );
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new EngineError(tooSlow, {
        cause: error,
        ownerReason: `the earlier replies of the conversation took longer than ${milliseconds / 1000} seconds`,
      });
    }
  }

  async #fail(message: AcceptedMessage, reply: Reply, error: unknown): Promise<void> {
    const expected = this.#expectedReasons(error);
    // Engines log the causes of expected failures: a provider's error can quote the key or the prompt.
    if (expected === undefined) this.#log.error({ err: error }, 'a reply failed unexpectedly');
    else this.#log.warn({ reason: expected.failure }, 'a reply failed');
    const reasons = expected ?? {
      failure: 'something went wrong inside the service',
      problem: 'an unexpected error, which is in the log of the service',
    };
    const rejectReply = () => {
      reply.fail(ConversationError.replyFailed(reasons.failure, { cause: error }));
    };
    try {
      // Otherwise the visitor could only write again when the lease has expired.
      await retryDuringOutage(() => failReply(this.#database, message.id, this.lease.owner, reasons), {
        mayRetry: () => !this.#closing.signal.aborted,
        onFirstFailure: (cause) => {
          this.#log.warn({ err: cause }, 'a failed reply could not be refunded; retrying');
          rejectReply();
        },
      });
    } catch (cause) {
      // The lease is no longer renewed, so `failAbandonedReplies` refunds the message once the database is back.
      this.#log.error({ err: cause }, 'a failed reply could not be refunded');
    }
    countReply('failed');
    rejectReply();
  }

  /** The reasons of an expected failure; undefined for others. */
  #expectedReasons(error: unknown): FailureReasons | undefined {
    if (error instanceof EngineError) return { failure: error.message, problem: error.ownerReason };
    if (isTimeout(error)) {
      return {
        failure: tooSlow,
        problem: `the time limit of ${this.#timeoutMs / 1000} seconds was exceeded`,
      };
    }
    return undefined;
  }
}

/** The failure of a reply whose time limit was exceeded, for the visitor. */
const tooSlow = 'the answer took too long';

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

/** A pending reply of an earlier turn, if any. */
const selectPendingBefore = prepared<Pick<AcceptedMessage, 'conversationId' | 'turn'>, { id: number }[]>(
  (queries, params) =>
    queries
      .select({ id: messages.id })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, params.conversationId),
          lt(messages.turn, params.turn),
          eq(messages.replyState, 'pending'),
          gt(messages.replyLeaseUntil, sql`now()`),
        ),
      )
      .limit(1),
);

/** Adds an engine's event to the answer and emits it. */
function addEvent(event: ReplyEvent, answer: Answer, reply: Reply): void {
  if (event.type === 'function_call') {
    const { type, ...given } = event;
    const call = fitJson(given);
    answer.functionCalls.push(call);
    reply.emit({ type, ...call });
    return;
  }
  // A delta may end within an emoji that the next one completes, so only null characters are removed.
  const text = event.text.replaceAll('\0', '').slice(0, replyLimit - answer.text.length);
  if (text === '') return;
  if (answer.text === '') recordFirstToken(performance.now() - reply.startedAt);
  answer.text += text;
  reply.emit({ type: 'delta', text });
}

/** Maximum length of the list of omitted data: a page can have a hundred variables with long names. */
const leftOutLimit = 1000;

const describeLeftOut = (leftOut: readonly string[]) =>
  leftOut.length === 0
    ? null
    : `more than ${maxVisitorDataBytes / 1024} KiB from the page: ${leftOut.join(', ')}`.slice(
        0,
        leftOutLimit,
      );
