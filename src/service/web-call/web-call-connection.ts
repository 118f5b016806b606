import { setTimeout as pause } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { EndReason } from '../../contract/call.ts';
import type { CallRunner } from '../call/call-runner.ts';
import { isOpen } from '../call/is-open.ts';
import type { ConversationEvents } from '../conversation/conversation-events.ts';
import { conversationKey } from '../conversation/change-notifier.ts';
import type { ChangeNotifier } from '../conversation/change-notifier.ts';
import type { Database } from '../db/database.ts';
import { calls } from '../db/calls-table.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LineFactory } from '../realtime/line-factory.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
import type { WebPeer } from '../voice/voice-module.ts';
import { BrowserChannel } from './browser-channel.ts';
import type { AdmittedCall } from './web-call-admission.ts';

/** Dependencies of {@link WebCallConnection}. */
export interface WebCallConnectionDependencies {
  database: Database;
  jobs: Jobs;
  calls: CallRunner;
  lineFactory: LineFactory;
  events: ConversationEvents;
  notifier: ChangeNotifier;
  log: Logger;
}

/** Interval at which the state of the call and its conversation is read, since notifications may be lost. */
const watchMs = 2000;

/** A browser's connection to its call, from the answer to its offer until it is closed or lost. */
export class WebCallConnection {
  readonly callId: number;
  readonly #dependencies: WebCallConnectionDependencies;
  readonly #call: AdmittedCall;
  readonly #peer: WebPeer;
  readonly #over = Promise.withResolvers<undefined>();
  /** Undefined until the browser is connected. */
  #line: BrowserChannel | undefined;
  #isConversing = false;
  /** Whether the connection must not take the call, since another one replaces it or the process stops. */
  #isCancelled = false;
  /** Why the connection was closed before the browser was connected, if the service closed it. */
  #closeReason: EndReason | undefined;
  readonly #createdAt = performance.now();

  constructor(dependencies: WebCallConnectionDependencies, call: AdmittedCall, peer: WebPeer) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#peer = peer;
    this.callId = call.callId;
  }

  /**
   * Waits for the browser to connect, and runs the call on this connection. Resolves when the connection is closed, also
   * if the browser did not connect.
   *
   * @param findEarlier returns the other connections of the call, which this one replaces once the browser is connected.
   */
  async run(visitor: VisitorAddresses, findEarlier: () => readonly WebCallConnection[]): Promise<void> {
    const watching = this.#watch();
    try {
      if (!(await this.#peer.connected) || this.#isCancelled) {
        this.#logUnconnected();
        return;
      }
      const line = this.#createLine();
      this.#line = line;
      if (!(await this.#replace(findEarlier()))) return;
      this.#isConversing = true;
      await this.#converse(line, visitor);
    } finally {
      this.#over.resolve(undefined);
      await watching;
      this.#peer.close();
    }
  }

  /**
   * Ends the connection so that the call can continue on another one. Resolves when this connection's part is stored.
   */
  async #disconnect(): Promise<void> {
    if (!this.#line) return;
    this.#line.disconnect();
    await this.#over.promise;
  }

  /** Closes the connection if its conversation has not started yet. */
  cancel(): void {
    if (this.#isConversing) return;
    this.#isCancelled = true;
    this.#peer.close();
  }

  #logUnconnected(): void {
    const { log } = this.#dependencies;
    const fields = { callId: this.callId, milliseconds: Math.round(performance.now() - this.#createdAt) };
    const message = 'a web call ended before it connected';
    const reason = this.#isCancelled ? 'replaced or stopping' : this.#closeReason;
    if (reason === undefined) log.warn({ ...fields, reason: 'the browser did not connect' }, message);
    else log.info({ ...fields, reason }, message);
  }

  #createLine(): BrowserChannel {
    const { log, lineFactory } = this.#dependencies;
    return new BrowserChannel(this.#peer, (options) =>
      lineFactory.createLine(this.#call.line, { ...options, log }),
    );
  }

  /**
   * Waits for the ends of earlier connections, whose tools may run for half a minute. The visitor's words are answered
   * afterwards.
   *
   * @returns false if this connection was cancelled meanwhile.
   */
  async #replace(earlier: readonly WebCallConnection[]): Promise<boolean> {
    if (earlier.some((other) => other.#isConversing)) this.#line?.announceResponse();
    await Promise.all(earlier.map((other) => other.#disconnect()));
    return !this.#isCancelled;
  }

  async #converse(line: BrowserChannel, visitor: VisitorAddresses): Promise<void> {
    const { calls: runner } = this.#dependencies;
    const { token, isRecorded } = this.#call;
    await runner.run({ callId: this.callId, token, carrierCallId: null }, line.line, {
      visitor,
      audio: isRecorded ? line.audio : undefined,
      disconnect: () => {
        line.disconnect();
      },
    });
  }

  /** Ends the connection when a hang-up is requested, or when the call or its conversation ends. */
  async #watch(): Promise<void> {
    const { events, notifier, log } = this.#dependencies;
    events.listen();
    const changes = notifier.subscribe(conversationKey(this.#call.conversationId));
    const stop = new AbortController();
    void this.#over.promise.then(() => {
      changes.close();
      stop.abort();
    });
    while (!stop.signal.aborted) {
      try {
        const reason = await this.#readEndReason();
        if (reason !== undefined) this.#end(reason);
      } catch (error) {
        log.warn({ err: error, callId: this.callId }, 'could not read the state of a web call; retrying');
      }
      await Promise.race([
        changes.next(),
        pause(watchMs, undefined, { signal: stop.signal }).catch(() => undefined),
      ]);
    }
  }

  #end(reason: EndReason): void {
    if (!this.#line) {
      this.#closeReason ??= reason;
      this.#peer.close();
    } else if (reason === 'hung-up') this.#line.hangUp();
    else this.#line.stop(reason);
  }

  async #readEndReason(): Promise<EndReason | undefined> {
    const [found] = await this.#dependencies.database.db
      .select({
        isOpen: sql<boolean>`${isOpen}`,
        endReason: calls.endReason,
        hangUpRequested: calls.hangUpRequested,
        mustEnd: sql<boolean>`(${conversations.id} IS NULL OR ${assistants.deletedAt} IS NOT NULL
          OR NOT ${conversations.aiEnabled}
          OR (${conversations.endedAt} IS NOT NULL AND NOT ${assistants.conversationEndedRetrigger}))`,
      })
      .from(calls)
      .leftJoin(conversations, eq(conversations.id, calls.conversationId))
      .leftJoin(assistants, eq(assistants.id, calls.assistantId))
      .where(eq(calls.id, this.callId));
    if (!found?.isOpen) return found?.endReason ?? 'conversation-ended';
    if (found.hangUpRequested) return 'hung-up';
    return found.mustEnd ? 'conversation-ended' : undefined;
  }
}
