import { setTimeout as pause } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { voiceErrorTexts } from '../../contract/voice-endpoints.ts';
import type { WebCallLimits } from '../billing/web-call-limits.ts';
import type { CallRunner } from '../call/call-runner.ts';
import { endCall, lostCall } from '../call/end-call.ts';
import { isOpen } from '../call/take-call.ts';
import type { CanTalk } from '../assistant/read-assistant-widget.ts';
import type { Sender } from '../conversation/accept-message.ts';
import { notifyOfChange } from '../conversation/conversation-events.ts';
import type { ConversationEvents } from '../conversation/conversation-events.ts';
import { conversationSignal, pollUntil } from '../conversation/signals.ts';
import type { Signals } from '../conversation/signals.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { Refusal } from '../lib/refusal.ts';
import { createLine } from '../realtime/create-line.ts';
import type { CallVoice } from '../realtime/create-line.ts';
import { iceServersOf } from '../voice/ice-servers.ts';
import type { Voice } from '../voice/load-voice.ts';
import type { VoiceConfig } from '../voice/voice-config.ts';
import type { IceServer, RefusedOffer, WebPeer } from '../voice/voice-module.ts';
import { BrowserLine } from './browser-line.ts';
import { admitWebCall, findWebCall, isLost, readOffer } from './web-call-admission.ts';
import type { AdmittedCall } from './web-call-admission.ts';

/** Dependencies of {@link WebCalls}. */
export interface WebCallParts {
  database: Database;
  jobs: Jobs;
  /** Undefined if the service has no voice. */
  voice: Voice | undefined;
  /** Undefined if nothing can speak or listen. */
  callVoice: CallVoice | undefined;
  /** What the operator must change so that the service can hold calls. */
  problems: readonly string[];
  calls: CallRunner;
  events: ConversationEvents;
  signals: Signals;
  config: VoiceConfig;
  limits: WebCallLimits;
  log: Logger;
}

/** What a browser needs for a call. */
export interface CallOffer {
  iceServers: IceServer[];
  /** Seconds after which the call ends. */
  maxSeconds: number;
  isRecorded: boolean;
}

/** Time in which a visitor can connect again, in milliseconds. */
const reconnectMs = 10_000;
/** Longest wait for the process that has the line of a call to end it, in milliseconds. */
const hangUpMs = 5000;
/** Longest pause between two looks at a call and its conversation, since notifications may be lost. */
const watchMs = 2000;

/** Calls of visitors from a page, in their conversations. */
export class WebCalls {
  readonly #parts: WebCallParts;
  /** The calls whose lines this process has. */
  readonly #held = new Map<number, { line: BrowserLine; isOver: Promise<void> }>();
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: WebCallParts) {
    this.#parts = parts;
  }

  readonly canTalk: CanTalk = (assistant) =>
    this.#parts.voice?.speech !== undefined && this.#problemWith(assistant) === undefined;

  /** What the operator must change so that the service can hold calls. */
  get problems(): readonly string[] {
    return this.#parts.problems;
  }

  /** @throws ConversationError, Refusal */
  async read(uuid: string, sender: Sender): Promise<CallOffer> {
    const { database, config } = this.#parts;
    const offer = await readOffer(database, uuid, sender);
    this.#requireVoice(offer);
    const { maxSeconds, isRecorded } = offer;
    return { iceServers: iceServersOf(config), maxSeconds, isRecorded };
  }

  /**
   * Answers the offer of a browser. The conversation begins once the browser is connected.
   *
   * @param request.token that of the call to connect again; undefined begins a call.
   * @throws ConversationError, Refusal
   */
  async start(
    uuid: string,
    { offer, token, sender }: { offer: string; token: string | undefined; sender: Sender },
  ): Promise<{ sdp: string; token: string } & Pick<CallOffer, 'maxSeconds' | 'isRecorded'>> {
    const { database, limits } = this.#parts;
    const { module } = this.#requireVoice(await readOffer(database, uuid, sender));
    const answer = await module.media.answer(offer);
    if ('refused' in answer) throw refuse(answer);
    const { sdp, peer } = answer;
    try {
      const call =
        token === undefined
          ? await admitWebCall(this.#parts, limits, uuid, sender)
          : await findWebCall(database, uuid, token, sender);
      this.#run(this.#hold(call, peer, sender.addressBlock));
      const { maxSeconds, isRecorded } = call;
      return { sdp, token: call.token, maxSeconds, isRecorded };
    } catch (error) {
      peer.close();
      throw error;
    }
  }

  /**
   * Ends the call of a conversation, in whatever process it is. Resolves when its messages are stored.
   *
   * @throws ConversationError
   */
  async end(uuid: string): Promise<void> {
    const { database, signals } = this.#parts;
    const [conversation] = await database.db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.uuid, uuid));
    if (!conversation) throw ConversationError.conversationNotFound();
    const { id } = conversation;
    const isOpenHere = and(eq(calls.conversationId, id), eq(calls.type, 'web'), isOpen);
    const asked = await database.db.transaction(async (tx) => {
      const found = await tx
        .update(calls)
        .set({ hangUpRequested: true })
        .where(isOpenHere)
        .returning({ id: calls.id, owner: calls.leaseOwner });
      if (found.length > 0) await notifyOfChange(tx, id);
      return found[0];
    });
    if (!asked) return;
    const key = conversationSignal(id);
    signals.notify(key);
    const isCall = and(eq(calls.id, asked.id), isOpen);
    if (asked.owner !== null) {
      const hasEnded = async () =>
        (await database.db.select({ id: calls.id }).from(calls).where(isCall)).length === 0
          ? true
          : undefined;
      const waiting = pollUntil(signals, key, hasEnded, AbortSignal.timeout(hangUpMs));
      if (await waiting.catch(() => false)) return;
    }
    // No process has it, or the one that has it does not answer.
    await endCall(this.#parts, isCall, { status: 'ended_by_customer', reason: 'hung-up' });
  }

  /** Ends the calls whose visitors could still have come back. The calls that are held have ended before. */
  async finish(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#waiting);
  }

  #requireVoice(assistant: Parameters<CanTalk>[0]): Voice {
    const { voice } = this.#parts;
    if (!voice?.speech) throw unavailable(this.problems[0] ?? 'the service has no voice.');
    const problem = this.#problemWith(assistant);
    if (problem !== undefined) throw unavailable(problem);
    return voice;
  }

  /** A realtime model understands other languages than the service's own speech. */
  #problemWith({ language, mode }: Parameters<CanTalk>[0]): string | undefined {
    return mode === 'pipeline' ? this.#parts.voice?.speech?.problem?.(language) : undefined;
  }

  #run(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'a web call failed');
      })
      .finally(() => this.#waiting.delete(done));
    this.#waiting.add(done);
  }

  /** Holds a call from the connection of its browser until that is lost, or the call ends. */
  async #hold(call: AdmittedCall, peer: WebPeer, visitor: string): Promise<void> {
    const { callVoice, log, calls: runner } = this.#parts;
    const isCall = and(eq(calls.id, call.callId), isOpen);
    try {
      if (!callVoice || !(await peer.connected)) {
        await this.#end(and(isCall, sql`${calls.answeredAt} IS NULL`), {
          status: 'failed',
          reason: 'not-connected',
        });
        return;
      }
      const earlier = this.#held.get(call.callId);
      earlier?.line.lose();
      await earlier?.isOver;
      const line = new BrowserLine(peer, (parts) => createLine(callVoice, call.line, { ...parts, log }));
      const over = Promise.withResolvers<undefined>();
      this.#held.set(call.callId, { line, isOver: over.promise });
      const watching = this.#watch(call, line, over.promise);
      try {
        const key = { callId: call.callId, token: call.token, carrierCallId: null };
        await runner.hold(key, line.line, {
          visitor,
          sound: call.isRecorded ? line.sound : undefined,
          stop: (reason) => {
            line.stop(reason);
          },
        });
      } finally {
        if (this.#held.get(call.callId)?.line === line) this.#held.delete(call.callId);
        over.resolve(undefined);
        await watching;
      }
    } finally {
      peer.close();
    }
    await this.#awaitReturn(call.callId);
  }

  /** Ends a call whose connection was lost, unless its visitor comes back in time. */
  async #awaitReturn(callId: number): Promise<void> {
    const { db } = this.#parts.database;
    const isCall = and(eq(calls.id, callId), isLost);
    const lost = await db.select({ id: calls.id }).from(calls).where(isCall);
    if (lost.length === 0) return;
    await pause(reconnectMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    await this.#end(isCall, lostCall);
  }

  async #end(condition: ReturnType<typeof and>, result: Parameters<typeof endCall>[2]): Promise<void> {
    await endCall(this.#parts, condition, result);
  }

  /** Ends the call when somebody asks for it, or when its conversation ends. */
  async #watch(
    { callId, conversationId }: AdmittedCall,
    line: BrowserLine,
    isOver: Promise<void>,
  ): Promise<void> {
    const { events, signals, log } = this.#parts;
    events.listen();
    const changes = signals.subscribe(conversationSignal(conversationId));
    const stop = new AbortController();
    void isOver.then(() => {
      changes.close();
      stop.abort();
    });
    while (!stop.signal.aborted) {
      try {
        const reason = await this.#whyEnded(callId);
        if (reason === 'hung-up') line.hangUp();
        else if (reason !== undefined) line.stop(reason);
      } catch (error) {
        log.warn({ err: error, callId }, 'a web call was not checked; it is checked again');
      }
      await Promise.race([
        changes.next(),
        pause(watchMs, undefined, { signal: stop.signal }).catch(() => undefined),
      ]);
    }
  }

  async #whyEnded(callId: number): Promise<string | undefined> {
    const [found] = await this.#parts.database.db
      .select({
        isOpen: sql<boolean>`${isOpen}`,
        hangUpRequested: calls.hangUpRequested,
        hasEnded: sql<boolean>`(${conversations.id} IS NULL OR ${assistants.deletedAt} IS NOT NULL
          OR NOT ${conversations.aiEnabled}
          OR (${conversations.endedAt} IS NOT NULL AND NOT ${assistants.conversationEndedRetrigger}))`,
      })
      .from(calls)
      .leftJoin(conversations, eq(conversations.id, calls.conversationId))
      .leftJoin(assistants, eq(assistants.id, calls.assistantId))
      .where(eq(calls.id, callId));
    if (!found?.isOpen) return 'stopped';
    if (found.hangUpRequested) return 'hung-up';
    return found.hasEnded ? 'conversation-ended' : undefined;
  }
}

function refuse({ refused, reason }: RefusedOffer): Refusal {
  if (refused === 'stopping') return unavailable(reason);
  return refused === 'no-port'
    ? new Refusal(429, { status: false, error: `${voiceErrorTexts.limitReached} ${reason}` })
    : new Refusal(422, { status: false, error: `sdp cannot be answered: ${reason}` });
}

const unavailable = (reason: string) =>
  new Refusal(503, { status: false, error: voiceErrorTexts.unavailable + reason });
