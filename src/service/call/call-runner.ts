import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { CallRules } from '../billing/call-limits.ts';
import type {
  Admission,
  CallHandler,
  CallReport,
  Carrier,
  IncomingCall,
  NextStep,
} from '../carrier/carrier.ts';
import type { Line, LinePlan, SpeakerOptions } from '../voice/line.ts';
import { stopCampaign } from '../campaign/run-campaign.ts';
import { CarrierError } from '../carrier/carrier-error.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { retryDuringOutage } from '../db/retry-during-outage.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine, ModelUsage } from '../engine/engine.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Embedder } from '../knowledge/embedder.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { waitWithTimeout } from '../lib/with-timeout.ts';
import { admitCall } from './start/admit-call.ts';
import { AssistantSpeaker } from './speech/assistant-speaker.ts';
import type { ChangeNotifier } from '../conversation/change-notifier.ts';
import { WebCallStore } from './store/web-call-store.ts';
import type { RecordedSide, VisitorSide } from './store/web-call-store.ts';
import type { WebCallLimits } from '../billing/web-call-limits.ts';
import { type CallStore, hasUnsaidGreeting } from './store/call-store.ts';
import { limitDialingRate } from './start/limit-dialing-rate.ts';
import { endCall } from './outcome/end-call.ts';
import type { EndedCall } from './outcome/end-call.ts';
import { endReportedCall, handleReport, readKeyedCall, unknownCall } from './outcome/handle-report.ts';
import { answeredByOf, LeasedCalls } from './leased-calls.ts';
import { LeasedLine } from './connection/leased-line.ts';
import { chooseNextStep } from './connection/choose-next-step.ts';
import { CallConversation } from './turns/call-conversation.ts';
import { isWaiting, planCall, planConversation } from './start/plan-call.ts';
import type { ConnectedPlan, ConversationPlan, PlannedCall } from './start/plan-call.ts';
import { planLine } from './start/plan-line.ts';
import type { AudioRecorder } from '../recording/audio-recorder.ts';
import { recordCall } from '../recording/record-call.ts';
import { RetryingCallStore } from './store/retrying-call-store.ts';
import { CallLeaseLostError, isLeasedBy } from './call-lease.ts';
import { DatabaseCallStore } from './store/database-call-store.ts';
import { claimConnectedCall } from './connection/claim-connected-call.ts';
import { isOpen } from './is-open.ts';
import { answerMs, markDialed, unmarkDialed } from './start/mark-dialed.ts';
import type { CallKey } from './call-key.ts';
import type { ConnectedCall, ClaimedCall } from './connection/claim-connected-call.ts';

/** Dependencies of {@link CallRunner}. */
export interface CallRunnerDependencies {
  database: Database;
  jobs: Jobs;
  fetchGuarded: FetchGuarded;
  embedder?: Embedder | undefined;
  engine: Engine;
  recordUsage: (usage: ModelUsage) => Promise<void>;
  carrier: Carrier;
  rules: CallRules;
  /** Called once, before an inbound call's variables are read. */
  prepareInbound: (callId: number) => Promise<void>;
  webCallLimits: WebCallLimits;
  notifier: ChangeNotifier;
  leaseMs: number;
  /** Time limit of a reply, in milliseconds. */
  replyMs: number;
  log: Logger;
}

/**
 * Runs calls. Any process can dial a call and receive its reports. The process that the carrier connects to owns the
 * call, with a lease in the database. If that process dies and the carrier connects to no other, the call fails.
 */
export class CallRunner implements CallHandler {
  readonly #dependencies: CallRunnerDependencies;
  readonly #leased: LeasedCalls;
  /** Pending operations that dial, admit or take a call. */
  readonly #starting = new Set<Promise<unknown>>();
  /** The conversations of this process, each with a function that interrupts it when the process stops. */
  readonly #conversations = new Map<Promise<void>, () => void>();
  readonly #closing = new AbortController();
  readonly #stopping = new AbortController();

  constructor(dependencies: CallRunnerDependencies) {
    this.#dependencies = dependencies;
    this.#leased = new LeasedCalls(dependencies);
  }

  /**
   * Dials a waiting call, unless another process has dialed it.
   *
   * @throws if the call could not be prepared, the carrier cannot be reached, or the service is stopping; the call then
   *   keeps waiting.
   */
  dial(callId: number): Promise<void> {
    return this.#trackStart(this.#dial(callId));
  }

  async #dial(callId: number): Promise<void> {
    const { database, jobs, carrier } = this.#dependencies;
    const { callsPerSecond } = carrier;
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    const hasTurn = callsPerSecond !== undefined;
    if (hasTurn) {
      // A call that must not be made takes no turn.
      if (!(await this.#plan(callId))) return;
      await limitDialingRate(database, callsPerSecond, signal);
    }
    const planned = await this.#plan(callId, { hasTurn });
    if (!planned) return;
    // Prepared before dialing: if it failed after the answer, the customer would hear nothing.
    await this.#prepareSpeaker(planned.conversation);
    signal.throwIfAborted();
    const reportMs = answerMs(this.#dependencies, planned.call.ringingTime);
    const tokens = await markDialed(database, planned.call, reportMs);
    if (tokens === undefined) return;
    try {
      const carrierCallId = await carrier.dial({ ...planned.call, ...tokens });
      const queueMs = (carrier.queueSeconds ?? 0) * carrier.secondMs;
      const [open] = await this.#retry(callId, () =>
        database.db
          .update(calls)
          .set({
            carrierCallId,
            leaseUntil: sql`CASE WHEN ${calls.status} = 'initiated' THEN ${leaseEnd(reportMs + queueMs)}
              ELSE ${calls.leaseUntil} END`,
          })
          .where(and(eq(calls.id, callId), eq(calls.token, tokens.token), isOpen))
          .returning({ id: calls.id }),
      );
      // The call was deleted, or has failed, before its id was known.
      if (!open) await jobs.send('hang-up', { carrierCallId });
    } catch (error) {
      if (error instanceof CarrierError && error.isTemporary) {
        await this.#retry(callId, () => unmarkDialed(database, callId, tokens));
        throw error;
      }
      this.#dependencies.log.error({ err: error, callId }, 'the carrier did not accept a call');
      if (!(error instanceof CarrierError)) {
        // The number may have been dialed, so reports may follow. Without one, this is why the call has failed.
        await this.#retry(callId, () =>
          database.db
            .update(calls)
            .set({ endReason: 'carrier-error' })
            .where(and(eq(calls.id, callId), eq(calls.token, tokens.token), isOpen)),
        );
        return;
      }
      const { reason } = error;
      const { campaignId } = planned;
      if ((reason === 'no-caller-id' || reason === 'carrier-account') && campaignId !== null) {
        // Before the call ends, since its lead is then due again.
        await this.#retry(callId, () =>
          database.db.transaction((tx) => stopCampaign({ tx, jobs }, campaignId, reason)),
        );
      }
      await this.#end(callId, { status: 'failed', reason });
    }
  }

  /** Plans a waiting call. Ends it and returns undefined if it must not be made. */
  async #plan(callId: number, options?: { hasTurn: boolean }): Promise<PlannedCall | undefined> {
    const { database, rules } = this.#dependencies;
    const planned = await planCall(database, callId, rules.countries, options);
    if (typeof planned !== 'string') return planned;
    await endCall(this.#dependencies, isWaiting(callId), { status: 'failed', reason: planned });
    return undefined;
  }

  async planOf(key: CallKey): Promise<LinePlan> {
    const { db } = this.#dependencies.database;
    const call = await readKeyedCall(this.#dependencies, key);
    const plan = await planConversation(db, call);
    if (!plan) throw unknownCall();
    return planLine(db, call.id, plan.callContext.assistant);
  }

  async onConnected(connected: ConnectedCall, line: Line): Promise<void> {
    if (!(await this.run(connected, line))) throw unknownCall();
  }

  /**
   * Runs a call on its line. Resolves when the conversation on this line has ended.
   *
   * @param web the visitor's side of a web call.
   * @returns false if there is no such open call.
   */
  async run(connected: ConnectedCall, line: Line, web?: VisitorSide): Promise<boolean> {
    const { database, carrier, leaseMs } = this.#dependencies;
    // Each line has its own owner: an earlier line of the call may be in this process, too.
    const lease = { owner: randomUUID(), milliseconds: leaseMs };
    const claimed = await this.#trackStart(claimConnectedCall(database, connected, lease));
    if (!claimed) {
      await line.hangUp('stopped');
      return false;
    }
    const leasedLine = new LeasedLine(line, lease.owner);
    const { id } = claimed.call;
    this.#leased.add(id, leasedLine);
    const interruption = new AbortController();
    const done = this.#converse(claimed, leasedLine, interruption.signal, web).finally(() => {
      this.#conversations.delete(done);
      this.#leased.remove(id, leasedLine);
    });
    const interrupt = () => {
      // With PostgreSQL, the visitor's browser or the carrier can connect the call to another process.
      const canMove = database.kind === 'postgres' && (web !== undefined || carrier.canReconnect);
      // The carrier itself closes the line of a phone call.
      if (canMove) web?.disconnect();
      else interruption.abort(stopError());
    };
    this.#conversations.set(done, interrupt);
    if (this.#closing.signal.aborted) interrupt();
    await done;
    return true;
  }

  async onReport(report: CallReport): Promise<void> {
    const onIdentified = this.#leased.identify.bind(this.#leased);
    if (report.type === 'ended') this.#leased.removeTransfer(report.callId);
    await this.#trackStart(
      this.#retry(report.callId, () => handleReport({ ...this.#dependencies, onIdentified }, report)),
    );
  }

  async onDisconnected(disconnected: Parameters<CallHandler['onDisconnected']>[0]): Promise<NextStep> {
    const { callId } = disconnected;
    this.#leased.removeTransfer(callId);
    const step = await chooseNextStep(
      {
        ...this.#dependencies,
        retry: (change) => this.#retry(callId, change),
        endCall: (id, result) => this.#end(id, result),
      },
      disconnected,
    );
    if (step.type === 'transfer' && this.#dependencies.carrier.hangUpTransfer)
      await this.#leased.addTransfer(callId);
    return step;
  }

  async onIncoming(call: IncomingCall): Promise<Admission> {
    if (this.#stopping.signal.aborted) {
      this.#dependencies.log.warn({ number: call.to, reason: 'stopping' }, 'refused an inbound call');
      return { type: 'refuse', reason: 'busy' };
    }
    return this.#trackStart(admitCall({ ...this.#dependencies, limits: this.#dependencies.rules }, call));
  }

  /** Extends the leases of this process's calls. */
  async renewLeases(): Promise<void> {
    await this.#leased.renewLeases();
  }

  /** Stops dialing, waits for the calls of this process, and interrupts them after `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    this.#stopping.abort(stopError());
    const { carrier } = this.#dependencies;
    const deadline = setTimeout(() => {
      this.#closing.abort(stopError());
      for (const interrupt of this.#conversations.values()) interrupt();
      void carrier.close?.();
    }, milliseconds);
    await waitWithTimeout(milliseconds, Promise.allSettled(this.#starting));
    await carrier.settled?.();
    // A call that was dialed earlier may be connected only now.
    while (this.#conversations.size > 0) await Promise.all(this.#conversations.keys());
    clearTimeout(deadline);
    await this.#leased.close();
  }

  #trackStart<Result>(work: Promise<Result>): Promise<Result> {
    const start = work.finally(() => this.#starting.delete(start));
    this.#starting.add(start);
    return start;
  }

  async #converse(
    { call, earlier }: ClaimedCall,
    line: LeasedLine,
    signal: AbortSignal,
    web?: VisitorSide,
  ): Promise<void> {
    const { log } = this.#dependencies;
    const isLeased = isLeasedBy(call.id, line.owner);
    let recorder: AudioRecorder | undefined;
    let conversation: CallConversation | undefined;
    try {
      if (call.type === 'inbound' && !earlier) await this.#prepareInbound(call.id);
      // Read after this process owns the call: earlier reports are in the record, later ones reach the line.
      const { plan, answeredBy = 'unknown' } = await this.#planConversation(call.id);
      if (!plan) {
        await line.hangUp();
        await this.#end(call.id, { status: 'failed', reason: 'no-assistant' }, isLeased);
        return;
      }
      signal.throwIfAborted();
      line.markIdentified(answeredBy);
      const assistant = await this.#prepareSpeaker(plan);
      const options = assistant.speakerOptions([...(plan.web?.history ?? []), ...(earlier?.messages ?? [])]);
      const { uuid } = plan.callContext.assistant;
      const recordUsage: SpeakerOptions['recordUsage'] = (usage) => {
        void this.#dependencies.recordUsage({ ...usage, assistant: uuid });
      };
      const isGreetingDue =
        plan.settings.waitForCustomer && hasUnsaidGreeting(plan.settings, earlier?.messages ?? []);
      const realtime = await line.openSpeaker({ ...options, isGreetingDue, recordUsage });
      const mode = realtime ? plan.callContext.assistant.mode : 'pipeline';
      const recorded = { id: call.id, isLeased, elapsed: earlier?.elapsed ?? 0 };
      recorder = web?.audio && recordCall(this.#dependencies, recorded, web.audio);
      const finishRecording = () => this.#finishRecording(call.id, recorder);
      const callStore = this.#createStore({ ...plan, mode }, line.owner, web && { ...web, finishRecording });
      conversation = new CallConversation({
        line,
        settings: plan.settings,
        speaker: realtime ?? assistant,
        callStore: new RetryingCallStore(
          callStore,
          {
            leaseMs: this.#dependencies.leaseMs,
            hasEnded: () => line.hasEnded,
            closing: this.#closing.signal,
            interrupted: signal,
          },
          log,
        ),
        signal,
        closing: this.#closing.signal,
        answeredBy,
        earlier,
      });
      const end = await conversation.run();
      if (!end) {
        // Reports that arrived while this process owned the call did not end it.
        await this.#retry(call.id, () => endReportedCall(this.#dependencies, call.id));
        return;
      }
      await finishRecording();
      await this.#end(call.id, end, isLeased);
    } catch (error) {
      if (error instanceof CallLeaseLostError) {
        await line.hangUp('lease-lost');
        return;
      }
      // The cause of an engine error may contain a key or a prompt, so only its message is logged.
      if (error instanceof EngineError)
        log.warn({ reason: error.message, callId: call.id }, 'a call was interrupted');
      else log.error({ err: error, callId: call.id }, 'a call was interrupted');
      // The customer must not wait for the database.
      await line.hangUp();
      const duration = conversation?.duration;
      await this.#finishRecording(call.id, recorder);
      const reason = signal.aborted ? 'service-stopped' : 'cut-off';
      await this.#end(call.id, { status: 'failed', reason, duration }, isLeased);
    } finally {
      await line.hangUp();
    }
  }

  /**
   * Ends a call as soon as the database is available: its lease outlives an outage. If that fails, the end is left to
   * housekeeping.
   *
   * @param condition the call must also match it.
   */
  async #end(callId: number, result: EndedCall, condition?: SQL): Promise<void> {
    try {
      await this.#retry(callId, () =>
        endCall(this.#dependencies, and(eq(calls.id, callId), condition), result),
      );
    } catch (error) {
      this.#dependencies.log.error({ err: error, callId }, 'the end of a call could not be stored yet');
    }
  }

  /** Stores the rest of a recording. Must precede the end of the call, since nothing is stored afterwards. */
  async #finishRecording(callId: number, recorder: AudioRecorder | undefined): Promise<void> {
    try {
      await this.#retry(callId, async () => recorder?.finish());
    } catch (error) {
      this.#dependencies.log.error({ err: error, callId }, 'the end of a recording was not stored');
    }
  }

  /** Repeats a change of a call during an outage of the database, until the process has to stop. */
  #retry<Result>(callId: number, change: () => Promise<Result>): Promise<Result> {
    return retryDuringOutage(change, {
      mayRetry: () => !this.#closing.signal.aborted,
      onFirstFailure: (error) => {
        this.#dependencies.log.warn({ err: error, callId }, 'a call could not be updated; retrying');
      },
    });
  }

  #createStore(
    { web: webPlan, ...plan }: ConnectedPlan,
    owner: string,
    side: RecordedSide | undefined,
  ): CallStore {
    if (!webPlan) return new DatabaseCallStore(this.#dependencies, plan, owner);
    if (!side) throw new Error('A web call was connected by a carrier.');
    return new WebCallStore(this.#dependencies, { ...plan, web: webPlan }, { owner, side });
  }

  #prepareSpeaker(plan: ConversationPlan): Promise<AssistantSpeaker> {
    const { countries } = this.#dependencies.rules;
    return AssistantSpeaker.prepare({ ...this.#dependencies, ...plan, countries });
  }

  /** The call continues if its webhook fails. */
  async #prepareInbound(callId: number): Promise<void> {
    try {
      await this.#dependencies.prepareInbound(callId);
    } catch (error) {
      this.#dependencies.log.error(
        { err: error, callId },
        'the webhook of an inbound call could not be sent',
      );
    }
  }

  async #planConversation(callId: number) {
    const { db } = this.#dependencies.database;
    const [call] = await db.select().from(calls).where(eq(calls.id, callId));
    return call ? { plan: await planConversation(db, call), answeredBy: answeredByOf(call) } : {};
  }
}

const stopError = () => new Error('The service is stopping.');
