import { and, desc, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { webCallErrorTexts } from '../../contract/web-call.ts';
import type { WebCallLimits } from '../billing/web-call-limits.ts';
import { endCall } from '../call/outcome/end-call.ts';
import { hangUpStatus } from '../call/outcome/hang-up-status.ts';
import { isOpen } from '../call/is-open.ts';
import type { SupportsCalls } from '../assistant/read-assistant-widget.ts';
import type { Sender } from '../conversation/accept-message.ts';
import { notifyProcesses } from '../conversation/notify-processes.ts';
import { conversationKey, pollUntil } from '../conversation/change-notifier.ts';
import { calls } from '../db/calls-table.ts';
import { assistants, conversations } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { Refusal } from '../lib/refusal.ts';
import { fitText } from '../lib/storable.ts';
import { iceServersOf } from '../voice/ice-servers.ts';
import type { WebCallConfig } from '../voice/web-call-config.ts';
import { networkUsageFactor } from '../lib/visitor-addresses.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
import type {
  IceServer,
  MediaServer,
  RefusedOffer,
  VoiceModule,
  WebAnswer,
  WebPeer,
} from '../voice/voice-module.ts';
import { endLostCall } from './lost-connection.ts';
import { admitWebCall, findWebCall, neverConnected, readCallOptions } from './web-call-admission.ts';
import type { AdmittedCall, Caller } from './web-call-admission.ts';
import { WebCallConnection } from './web-call-connection.ts';
import type { WebCallConnectionDependencies } from './web-call-connection.ts';

/** Dependencies of {@link WebCalls}. */
export interface WebCallsDependencies extends WebCallConnectionDependencies {
  /** Undefined if the service has no WebRTC. */
  module: VoiceModule | undefined;
  /** Problems that the operator must fix before calls are possible. */
  problems: readonly string[];
  /** The problem to report if an assistant has `web_calls`, since the package is not installed. */
  notInstalled?: string | undefined;
  config: WebCallConfig;
  limits: WebCallLimits;
}

/** The data that a browser needs for a call. */
export interface CallOptions {
  iceServers: IceServer[];
  /** Seconds after which the call ends. */
  maxSeconds: number;
  isRecorded: boolean;
}

/**
 * Maximum number of browsers from one block of addresses that are connecting to this process at the same time; a network
 * has four times as many. Each takes a UDP port, and the limits of minutes do not stop browsers that never connect.
 */
const maxConnecting = 5;

/** Longest wait for the process that has the line of a call to end it, in milliseconds. */
const hangUpMs = 5000;

/** Web calls of visitors in their conversations. */
export class WebCalls {
  readonly #dependencies: WebCallsDependencies;
  readonly #connections = new Set<WebCallConnection>();
  /** The visitors whose browsers have sent an offer and are not connected yet. */
  readonly #connecting = new Set<VisitorAddresses>();
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(dependencies: WebCallsDependencies) {
    this.#dependencies = dependencies;
  }

  readonly supportsCalls: SupportsCalls = (assistant) =>
    this.#dependencies.module !== undefined &&
    this.#dependencies.lineFactory.problem(assistant) === undefined;

  /**
   * Returns the problems that the operator must fix before calls are possible.
   *
   * @param canQuery whether the database responds: a missing package and unusable ports are problems only if an assistant
   *   offers calls.
   */
  async problems(canQuery: boolean): Promise<readonly string[]> {
    const { database, module, problems, notInstalled } = this.#dependencies;
    if (!canQuery) return problems;
    const obstacle = notInstalled ?? (await module?.media.problem());
    if (obstacle === undefined) return problems;
    const [offering] = await database.db
      .select({ id: assistants.id })
      .from(assistants)
      .where(and(assistants.webCalls, isNull(assistants.deletedAt)))
      .limit(1);
    return offering ? [...problems, obstacle] : problems;
  }

  /** @throws ConversationError, Refusal */
  async read(uuid: string, sender: Sender): Promise<CallOptions> {
    const { database, config } = this.#dependencies;
    const options = await readCallOptions(database, uuid, sender);
    this.#requireVoice(options);
    // While the visitor allows the microphone.
    this.#dependencies.lineFactory.warmUp(options);
    const { maxSeconds, isRecorded } = options;
    return { iceServers: iceServersOf(config), maxSeconds, isRecorded };
  }

  /**
   * Answers the offer of a browser. The conversation starts once the browser is connected.
   *
   * @param request.token token of the call to reconnect to; undefined to start a new call.
   * @throws ConversationError, Refusal
   */
  async start(
    uuid: string,
    { offer, token, ...caller }: { offer: string; token: string | undefined } & Caller,
  ): Promise<{ sdp: string; token: string } & Pick<CallOptions, 'maxSeconds' | 'isRecorded'>> {
    const { database, limits } = this.#dependencies;
    const { sender } = caller;
    const conversation = await readCallOptions(database, uuid, sender);
    const { media } = this.#requireVoice(conversation);
    if (token === undefined) {
      // The assistant then knows the last words of the call that the visitor has just hung up.
      const isHungUp = and(eq(calls.conversationId, conversation.id), calls.hangUpRequested);
      await this.#untilEnded(conversation.id, isHungUp);
    }
    const { sdp, peer } = await this.#answer(media, offer, sender);
    try {
      const call =
        token === undefined
          ? await admitWebCall(this.#dependencies, limits, uuid, caller)
          : await findWebCall(database, uuid, token, sender);
      this.#start(call, peer, sender);
      const { maxSeconds, isRecorded } = call;
      return { sdp, token: call.token, maxSeconds, isRecorded };
    } catch (error) {
      peer.close();
      throw error;
    }
  }

  /**
   * Ends a call of a conversation, in any process. Resolves when its messages are stored, or after five seconds if a
   * tool is still running: the call then ends with its result.
   *
   * @param token token of the call; undefined for the latest one.
   * @throws ConversationError
   */
  async end(uuid: string, token?: string): Promise<void> {
    const { database } = this.#dependencies;
    const [conversation] = await database.db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.uuid, uuid));
    if (!conversation) throw ConversationError.conversationNotFound();
    const { id } = conversation;
    const isToken = token === undefined ? undefined : eq(calls.token, fitText(token));
    const [current] = await database.db
      .select({ id: calls.id, messages: calls.messages })
      .from(calls)
      .where(and(eq(calls.conversationId, id), eq(calls.type, 'web'), isOpen, isToken))
      .orderBy(desc(calls.id))
      .limit(1);
    if (!current) return;
    const isCall = and(eq(calls.id, current.id), isOpen);
    const hungUp = { status: hangUpStatus(current.messages), reason: 'hung-up' } as const;
    // No process owns the call while its browser connects or may reconnect.
    if (await endCall(this.#dependencies, and(isCall, isNull(calls.leaseOwner)), hungUp)) {
      await this.#notify(id);
      return;
    }
    await database.db.update(calls).set({ hangUpRequested: true }).where(isCall);
    await this.#notify(id);
    if (await this.#untilEnded(id, isCall)) return;
    // Its process has lost the connection, or is gone. Otherwise, that process ends the call when its tools have finished.
    const isAbandoned = or(isNull(calls.leaseOwner), lte(calls.leaseUntil, sql`now()`));
    await endCall(this.#dependencies, and(isCall, isAbandoned), hungUp);
  }

  /**
   * Closes connections of browsers that have not connected yet, and waits for the others. With PostgreSQL, calls whose
   * connection was lost are left to other processes.
   */
  async finish(): Promise<void> {
    this.#closing.abort();
    for (const connection of this.#connections) connection.cancel();
    await Promise.all(this.#waiting);
  }

  #requireVoice(assistant: Parameters<SupportsCalls>[0]): VoiceModule {
    const { module, lineFactory } = this.#dependencies;
    if (this.#closing.signal.aborted) throw unavailable('the service is stopping.');
    if (!module)
      throw unavailable(this.#dependencies.problems[0] ?? 'web calls are switched off or not installed.');
    const problem = lineFactory.problem(assistant);
    if (problem !== undefined) throw unavailable(problem);
    return module;
  }

  /** @throws Refusal */
  async #answer(media: MediaServer, offer: string, sender: Sender): Promise<WebAnswer> {
    const { addressBlock, addressNetwork } = sender;
    const others = [...this.#connecting];
    const ofBlock = others.filter((other) => other.addressBlock === addressBlock);
    const ofNetwork = others.filter(
      (other) => addressNetwork !== undefined && other.addressNetwork === addressNetwork,
    );
    if (ofBlock.length >= maxConnecting || ofNetwork.length >= maxConnecting * networkUsageFactor)
      throw limitReached('Too many calls from this address are connecting.');
    // A copy, since each offer counts.
    const visitor = { addressBlock, addressNetwork };
    this.#connecting.add(visitor);
    const release = () => this.#connecting.delete(visitor);
    try {
      const answer = await media.answer(offer);
      if ('refused' in answer) throw refuse(answer);
      void answer.peer.connected.then(release);
      return answer;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves with true when no open call of the conversation matches, or with false after five seconds. */
  async #untilEnded(conversationId: number, condition: SQL | undefined): Promise<boolean> {
    const { database, notifier } = this.#dependencies;
    const isOpenCall = and(condition, isOpen);
    const hasEnded = async () =>
      (await database.db.select({ id: calls.id }).from(calls).where(isOpenCall)).length === 0 || undefined;
    const limit = AbortSignal.timeout(hangUpMs);
    return pollUntil(notifier, conversationKey(conversationId), hasEnded, limit).catch(() => false);
  }

  async #notify(conversationId: number): Promise<void> {
    await notifyProcesses(this.#dependencies.database.db, conversationId);
    this.#dependencies.notifier.notify(conversationKey(conversationId));
  }

  #start(call: AdmittedCall, peer: WebPeer, visitor: VisitorAddresses): void {
    const connection = new WebCallConnection(this.#dependencies, call, peer);
    for (const earlier of this.#connectionsOf(call)) earlier.cancel();
    this.#connections.add(connection);
    if (this.#closing.signal.aborted) connection.cancel();
    const done = this.#run(connection, visitor)
      .catch((error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'a web call failed');
      })
      .finally(() => this.#waiting.delete(done));
    this.#waiting.add(done);
  }

  /** Runs a call until it ends, or its connection is lost and its visitor does not reconnect in time. */
  async #run(connection: WebCallConnection, visitor: VisitorAddresses): Promise<void> {
    const { callId } = connection;
    try {
      await connection.run(visitor, () =>
        this.#connectionsOf(connection).filter((other) => other !== connection),
      );
    } finally {
      this.#connections.delete(connection);
    }
    // The last connection of a call ends it.
    if (this.#connectionsOf(connection).length > 0) return;
    const isUnanswered = and(eq(calls.id, callId), isNull(calls.answeredAt));
    if (await endCall(this.#dependencies, isUnanswered, neverConnected)) return;
    await endLostCall(this.#dependencies, callId, this.#closing.signal);
  }

  #connectionsOf({ callId }: { callId: number }): WebCallConnection[] {
    return [...this.#connections].filter((connection) => connection.callId === callId);
  }
}

function refuse({ refused, reason }: RefusedOffer): Refusal {
  if (refused === 'stopping') return unavailable(reason);
  return refused === 'no-port'
    ? limitReached(reason)
    : new Refusal(422, { status: false, error: `sdp cannot be answered: ${reason}` });
}

const limitReached = (limit: string) =>
  new Refusal(429, { status: false, error: `${webCallErrorTexts.limitReached} ${limit}` });

const unavailable = (reason: string) =>
  new Refusal(503, { status: false, error: webCallErrorTexts.unavailable + reason });
