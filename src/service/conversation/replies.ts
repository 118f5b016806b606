import { randomUUID } from 'node:crypto';
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { EngineContextParts } from '../assistant/engine-context.ts';
import type { Database } from '../db/database.ts';
import { fitJson } from '../lib/storable.ts';
import { prepared } from '../db/prepared.ts';
import { messages } from '../db/schema.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine, ReplyEvent } from '../engine/engine.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Ending } from './end-conversation.ts';
import { buildEngineRequest } from './engine-request.ts';
import { Reply } from './reply.ts';
import { failReply, storeAnswer } from './settle-reply.ts';
import type { Answer } from './settle-reply.ts';
import { StopWatch, stopped } from './stop-watch.ts';
import { conversationSignal, pollUntil } from './signals.ts';
import { within } from '../lib/within.ts';
import type { Signals } from './signals.ts';

/** Longest reply, in UTF-16 code units. What a model says beyond is cut off. */
const replyLength = 32_000;

/** Longest wait for the replies before this one in the same conversation, in milliseconds. */
const turnWait = 300_000;

/** Key of the signal that a message's reply has been settled, one way or the other. */
export const settledSignal = (messageId: number): string => `message ${messageId}`;

/**
 * The replies that this process writes. Replies of one conversation are written one after the other, also when other
 * processes write some of them; no database connection is held while an engine talks.
 */
export class Replies {
  /** Names this process in the messages that it has promised to answer. */
  readonly lease: Lease;
  readonly #parts: EngineContextParts & Ending;
  readonly #database: Database;
  readonly #engine: Engine;
  readonly #signals: Signals;
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #underWay = new Map<number, { reply: Reply; done: Promise<void> }>();
  readonly #stops: StopWatch;
  readonly #closing = new AbortController();

  constructor(
    parts: EngineContextParts &
      Ending & {
        engine: Engine;
        signals: Signals;
        config: { timeoutMs: number; leaseMs: number };
        log: Logger;
      },
  ) {
    this.#parts = parts;
    this.#database = parts.database;
    this.#engine = parts.engine;
    this.#signals = parts.signals;
    this.#timeoutMs = parts.config.timeoutMs;
    this.#log = parts.log;
    this.#stops = new StopWatch(parts.database);
    this.lease = { owner: randomUUID(), milliseconds: parts.config.leaseMs };
  }

  /** Begins to answer a message that was accepted with this object's lease. */
  start(message: AcceptedMessage): Reply {
    const reply = new Reply();
    this.#underWay.set(message.id, { reply, done: this.#run(message, reply) });
    return reply;
  }

  /** The reply to that message, if this process is writing it. */
  find(messageId: number): Reply | undefined {
    return this.#underWay.get(messageId)?.reply;
  }

  /** Ends the reply to that message where it is, if this process is writing it. */
  stop(messageId: number): void {
    this.#stops.stop(messageId);
  }

  /** Ends it for good, because its conversation is gone. */
  discard(messageId: number): void {
    this.#stops.discard(messageId);
  }

  /** Promises for another lease that this process still writes its replies. */
  async renewLeases(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await this.#database.db
      .update(messages)
      .set({ replyLeaseUntil: leaseEnd(this.lease.milliseconds) })
      .where(
        and(
          inArray(messages.id, [...this.#underWay.keys()]),
          eq(messages.replyState, 'pending'),
          eq(messages.replyOwner, this.lease.owner),
        ),
      );
  }

  /** Waits for the replies under way, gives up those that take longer than `milliseconds`, and waits for that. */
  async finish(milliseconds: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.#closing.abort(new EngineError('the service is being restarted; please send the message again'));
    }, milliseconds);
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    clearTimeout(deadline);
  }

  async #run(message: AcceptedMessage, reply: Reply): Promise<void> {
    const stop = this.#stops.watch(message.id);
    try {
      await this.#waitForTurn(message);
      const answer = await within(this.#timeoutMs, [this.#closing.signal, stop], (signal) =>
        this.#ask(message, reply, signal),
      );
      const settled = await storeAnswer(this.#parts, message, this.lease.owner, answer);
      if (!settled) throw new EngineError('the answer came too late; please send the message again');
      reply.complete(settled);
    } catch (error) {
      if (error instanceof ConversationError) reply.fail(error);
      else await this.#giveUp(message, reply, error);
    } finally {
      this.#stops.release(message.id);
      this.#underWay.delete(message.id);
      this.#signals.notify(conversationSignal(message.conversationId));
      this.#signals.notify(settledSignal(message.id));
    }
  }

  async #ask(message: AcceptedMessage, reply: Reply, signal: AbortSignal): Promise<Answer> {
    const request = await buildEngineRequest(this.#parts, message);
    const answer: Answer = { text: '', functionCalls: [] };
    try {
      signal.throwIfAborted();
      for await (const event of this.#engine.reply(request, signal)) {
        signal.throwIfAborted();
        take(event, answer, reply);
        if (answer.text.length >= replyLength) break;
      }
    } catch (error) {
      // Engines and libraries have errors of their own for an abort; what counts is why it was aborted.
      if (signal.reason !== stopped) {
        signal.throwIfAborted();
        throw error;
      }
    }
    if (answer.text.trim() === '' && answer.functionCalls.length === 0 && signal.reason !== stopped) {
      throw new EngineError('the assistant gave no answer');
    }
    return { ...answer, text: answer.text.toWellFormed() };
  }

  async #waitForTurn(message: AcceptedMessage): Promise<void> {
    const { db } = this.#database;
    const isFirst = async () => {
      const earlier = await selectPendingBefore(db, message);
      return earlier.length > 0 ? undefined : true;
    };
    await within(turnWait, [this.#closing.signal], (signal) =>
      pollUntil(this.#signals, conversationSignal(message.conversationId), isFirst, signal),
    );
  }

  async #giveUp(message: AcceptedMessage, reply: Reply, error: unknown): Promise<void> {
    const reason = publicReason(error);
    // The cause of a foreseen failure is the engine's to log: a provider's error can quote the key or the prompt.
    if (reason === undefined) this.#log.error({ err: error }, 'a reply failed unexpectedly');
    else this.#log.warn({ reason }, 'a reply failed');
    const told = reason ?? 'something went wrong inside the service; please try again';
    try {
      await failReply(this.#database, message.id, this.lease.owner, told);
    } catch (cause) {
      // The lease is no longer renewed from now on, so the sweep refunds the message once the database is back.
      this.#log.error({ err: cause }, 'a failed reply could not be refunded yet');
    }
    reply.fail(ConversationError.replyFailed(told, { cause: error }));
  }
}

/** Whether a reply is under way that comes before one. */
const selectPendingBefore = prepared<Pick<AcceptedMessage, 'conversationId' | 'turn'>, { id: number }[]>(
  (queries, place) =>
    queries
      .select({ id: messages.id })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, place.conversationId),
          lt(messages.turn, place.turn),
          eq(messages.replyState, 'pending'),
          gt(messages.replyLeaseUntil, sql`now()`),
        ),
      )
      .limit(1),
);

/** Adds to the answer what an engine said, and passes it on. */
function take(event: ReplyEvent, answer: Answer, reply: Reply): void {
  if (event.type === 'function_call') {
    const { type, ...given } = event;
    const call = fitJson(given);
    answer.functionCalls.push(call);
    reply.emit({ type, ...call });
    return;
  }
  // A piece may end within an emoji that the next one completes, so only null characters are taken out of it.
  const text = event.text.replaceAll('\0', '').slice(0, replyLength - answer.text.length);
  if (text === '') return;
  answer.text += text;
  reply.emit({ type: 'delta', text });
}

/** What a visitor may know of a failure; undefined for one that nobody foresaw. */
function publicReason(error: unknown): string | undefined {
  if (error instanceof EngineError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'the assistant took too long to answer; please try again';
  }
  return undefined;
}
