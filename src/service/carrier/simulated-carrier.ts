import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Refusal } from '../lib/refusal.ts';
import type { CallHandler, CallPlan, Carrier, IncomingCall, OutgoingCall } from './carrier.ts';
import type { CarrierNumbers } from './carrier-numbers.ts';
import { readNumberTraits } from './number-traits.ts';
import type { NumberTraits, OutcomeWeights } from './number-traits.ts';
import { SimulatedCustomer } from './simulated-customer.ts';
import { SimulatedLine } from './simulated-line.ts';
import type { Wait } from './simulated-line.ts';
import { customerSentences } from './simulated-sentences.ts';

type CustomerTraits = NumberTraits & { isCaller?: boolean };

/** A report on a call, without the call's identifiers. */
type ReportDetails =
  | { type: 'ringing' }
  | { type: 'unreached'; reason: 'busy' | 'no-answer' | 'failed' }
  | { type: 'identified'; by: 'human' | 'machine' | 'fax' };

export interface SimulatedCarrierOptions {
  outcomes: OutcomeWeights;
  /** Real milliseconds per simulated second. */
  secondMs: number;
  wait: Wait;
  numbers?: CarrierNumbers;
  log?: Logger;
}

/** Seconds until an answering machine is detected, for numbers with late detection. */
const lateDetection = 4;

/**
 * Simulates calls, to try the service without a telephony provider. The digits of the number determine the behavior of
 * the simulated customer: see {@link readNumberTraits}. A call exists only in the process that dialed it.
 */
export class SimulatedCarrier implements Carrier {
  readonly secondMs: number;
  readonly numbers?: CarrierNumbers;
  readonly #options: SimulatedCarrierOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #lines = new Map<string, SimulatedLine>();
  readonly #closing = new AbortController();
  #handler: CallHandler | undefined;

  constructor(options: SimulatedCarrierOptions) {
    this.#options = options;
    this.secondMs = options.secondMs;
    if (options.numbers) this.numbers = options.numbers;
  }

  open(handler: CallHandler): void {
    this.#handler = handler;
  }

  dial(call: OutgoingCall): Promise<string> {
    const carrierCallId = `simulated-${randomUUID()}`;
    this.#run(call, this.#ring(call, carrierCallId));
    return Promise.resolve(carrierCallId);
  }

  /**
   * Makes a simulated customer call one of the service's numbers. The digits of the customer's number determine their
   * behavior, but the customer is always a person. Resolves when the service has accepted or refused the call.
   */
  async ring(call: IncomingCall): Promise<void> {
    const admission = await this.#service.onIncoming(call);
    if (admission.type === 'refuse') return;
    const traits = {
      ...readNumberTraits(call.from, this.#options.outcomes),
      outcome: 'human',
      isFax: false,
      isCaller: true,
    } as const;
    this.#run(admission.plan, this.#connect(admission.plan, traits, call.carrierCallId));
  }

  hangUp(carrierCallId: string): Promise<void> {
    this.#lines.get(carrierCallId)?.disconnect();
    return Promise.resolve();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  get #service(): CallHandler {
    if (!this.#handler) throw new Error('The carrier was not opened.');
    return this.#handler;
  }

  #run({ callId }: CallPlan, call: Promise<void>): void {
    const running = call
      .catch((error: unknown) => {
        // The call was deleted.
        if (!(error instanceof Refusal))
          this.#options.log?.error({ err: error, callId }, 'a simulated call was lost');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #ring(call: OutgoingCall, carrierCallId: string): Promise<void> {
    const { callId, token } = call;
    const report = (details: ReportDetails) =>
      this.#service.onReport({ callId, token, carrierCallId, ...details });
    const traits = readNumberTraits(call.to, this.#options.outcomes);
    const { signal } = this.#closing;
    const reached = await this.#answer(call, traits, report).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return 'failed' as const;
    });
    if (reached !== 'answered') {
      await report({ type: 'unreached', reason: reached });
      return;
    }
    const by = traits.isFax ? 'fax' : traits.outcome === 'machine' ? 'machine' : 'human';
    if (!traits.isDetectedLate) await report({ type: 'identified', by });
    const detect = traits.isDetectedLate ? () => report({ type: 'identified', by }) : undefined;
    await this.#connect(call, traits, carrierCallId, detect);
  }

  /** Rings until the call is answered or the ringing time is over. */
  async #answer(
    { ringingTime }: OutgoingCall,
    { outcome, ringing }: NumberTraits,
    report: (details: ReportDetails) => Promise<void>,
  ): Promise<'answered' | 'busy' | 'failed' | 'no-answer'> {
    const { wait } = this.#options;
    const { signal } = this.#closing;
    await wait(1, signal);
    if (outcome === 'failed' || outcome === 'busy') return outcome;
    await report({ type: 'ringing' });
    const isAnswered = outcome !== 'no-answer' && ringing <= ringingTime;
    await wait(isAnswered ? ringing : ringingTime, signal);
    return isAnswered ? 'answered' : 'no-answer';
  }

  async #connect(
    plan: CallPlan,
    traits: CustomerTraits,
    carrierCallId: string,
    detect?: () => Promise<void>,
  ): Promise<void> {
    const { callId, token, connectToken, speech } = plan;
    const customer = new SimulatedCustomer(traits, customerSentences(speech.language), traits.isCaller);
    const line = new SimulatedLine(speech, customer, this.#options.wait);
    if (detect) line.at(lateDetection, detect);
    this.#lines.set(carrierCallId, line);
    try {
      await this.#service.onConnected({ callId, token, connectToken, carrierCallId }, line);
    } finally {
      this.#lines.delete(carrierCallId);
    }
    const cause = line.disconnection;
    if (cause) await this.#continue(plan, traits, { carrierCallId, cause });
  }

  /** Transfers the customer, or connects the call again. */
  async #continue(
    { callId, token }: CallPlan,
    traits: NumberTraits,
    { carrierCallId, cause: left }: { carrierCallId: string; cause: 'left' | 'lost' },
  ): Promise<void> {
    let step = await this.#service.onDisconnected({ callId, token, cause: left });
    if (step.type === 'transfer') {
      const { outcome } = readNumberTraits(step.to, this.#options.outcomes);
      const isAnswered = outcome === 'human' || outcome === 'machine';
      const cause = isAnswered ? 'transferred' : 'unanswered';
      if (isAnswered) {
        await this.#service.onReport({ callId, token, carrierCallId, type: 'transfer-answered' });
      }
      step = await this.#service.onDisconnected({ callId, token, cause });
      // A simulated transfer takes no time.
      if (isAnswered)
        await this.#service.onReport({ callId, token, carrierCallId, type: 'ended', seconds: 0 });
    }
    if (step.type === 'connect')
      await this.#connect(step.plan, { ...traits, outcome: 'human', event: 'none' }, carrierCallId);
  }
}
