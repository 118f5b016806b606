import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { CarrierError, neverSent } from '../carrier-error.ts';
import type { CallHandler, CallPlan, Carrier, OutgoingCall } from '../carrier.ts';
import { AriClient, AriError } from './ari-client.ts';
import type { AriChannel, AriEvent } from './ari-client.ts';
import { AsteriskCall, otherPhoneOf } from './asterisk-call.ts';
import type { DialOptions } from './asterisk-call.ts';
import { describeAriFailure } from './describe-ari-failure.ts';
import type { LineFactory } from '../../realtime/line-factory.ts';
import type { AsteriskConfig } from './asterisk-config.ts';
import { waitWithTimeout } from '../../lib/with-timeout.ts';

/** Time for calls to end at shutdown. */
const closingMs = 5000;

/**
 * Makes and receives calls with the operator's Asterisk. The process that dials a call owns it. Each process has its
 * own Stasis application for the events of its calls; one process also receives the inbound calls.
 */
export class AsteriskCarrier implements Carrier {
  readonly secondMs = 1000;
  readonly #config: AsteriskConfig;
  readonly #lineFactory: LineFactory;
  readonly #log: Logger;
  readonly #ari: AriClient;
  readonly #application: string;
  /** Calls by the ids of their channels. */
  readonly #calls = new Map<string, AsteriskCall>();
  /** Pending requests, whose channels may not exist yet. */
  readonly #dialing = new Set<Promise<unknown>>();
  /** Resolves to true while this process receives events, or to false after a failed attempt to connect. */
  #receiving = Promise.withResolvers<boolean>();
  #handler: CallHandler | undefined;
  #callRemoved = Promise.withResolvers<undefined>();
  #problem: string | undefined;

  constructor(config: AsteriskConfig, lineFactory: LineFactory, log: Logger) {
    this.#config = config;
    this.#lineFactory = lineFactory;
    this.#log = log;
    this.#ari = new AriClient(config, log);
    this.#application = `${config.application}-${randomUUID()}`;
  }

  open(handler: CallHandler): void {
    this.#handler = handler;
    const receiving = this.#ari.receive(this.#application, {
      onEvent: (event) => {
        this.#receive(event);
      },
      onConnected: () => {
        this.#problem = undefined;
        this.#receiving.resolve(true);
        void this.#endLostCalls();
      },
      onDisconnected: (error) => {
        this.#problem = `${describeAriFailure(this.#config.url, error)} No phone calls are possible.`;
        this.#receiving.resolve(false);
        this.#receiving = Promise.withResolvers();
      },
    });
    void receiving.then(() => {
      this.#receiving.resolve(false);
    });
    let isReceiver = false;
    void this.#ari.receive(this.#config.application, {
      onEvent: (event) => {
        if (event.type === 'StasisStart' && event.channel) void this.#moveHere(event.channel);
        else if (event.type === 'ApplicationReplaced') isReceiver = false;
      },
      onConnected: () => {
        isReceiver = true;
      },
      // A second connection takes the inbound calls away from the process that receives them. Only the latest receiver
      // does not ask: Asterisk keeps the application until it notices that the connection is lost.
      mayConnect: async () => isReceiver || (await this.#hasNoReceiver()),
    });
  }

  problem(): string | undefined {
    return this.#problem;
  }

  async dial(call: OutgoingCall): Promise<string> {
    // Asterisk hangs up a channel that is answered while nobody receives its events.
    if (!(await this.#receiving.promise)) {
      throw new CarrierError('The telephone system cannot be reached.', { isTemporary: true });
    }
    const channelId = randomUUID();
    const from = call.from === '' ? this.#config.phoneNumber : call.from;
    const asteriskCall = this.#createCall(channelId, call, { isOutgoing: true });
    this.#calls.set(channelId, asteriskCall);
    try {
      await this.#dial(channelId, call.to, { ...call, callerId: from });
    } catch (error) {
      if (await this.#isDialed(channelId, error)) return channelId;
      this.#removeCall(asteriskCall);
      throw new CarrierError(
        error instanceof AriError
          ? 'The telephone system refused the call.'
          : 'The telephone system cannot be reached.',
        { cause: error, reason: 'carrier-error', isTemporary: isUnsent(error) },
      );
    }
    return channelId;
  }

  async #dial(
    channelId: string,
    number: string,
    { callerId, originator, ringingTime, maxDuration }: DialOptions,
  ): Promise<void> {
    const query = {
      endpoint: this.#config.endpoint.replaceAll('{number}', () => number),
      app: this.#application,
      channelId,
      timeout: String(Math.ceil(ringingTime)),
      ...(callerId !== undefined && { callerId }),
      ...(originator !== undefined && { originator }),
    };
    const dialing = this.#ari.sendForChannel('/channels', query, {
      variables: { 'TIMEOUT(absolute)': String(Math.ceil(ringingTime + maxDuration)) },
    });
    this.#dialing.add(dialing);
    try {
      await dialing;
    } finally {
      this.#dialing.delete(dialing);
    }
  }

  async hangUp(carrierCallId: string): Promise<void> {
    await this.#deleteChannel(carrierCallId);
    await this.#deleteChannel(otherPhoneOf(carrierCallId));
  }

  /** Ends the other phone first: if that fails, the next attempt still learns whether the customer was connected. */
  async hangUpTransfer(carrierCallId: string): Promise<boolean> {
    await this.#deleteChannel(otherPhoneOf(carrierCallId));
    return this.#deleteChannel(carrierCallId);
  }

  /** @returns whether the channel existed. */
  #deleteChannel(channelId: string): Promise<boolean> {
    return this.#ari.sendIfThere('DELETE', `/channels/${encodeURIComponent(channelId)}`);
  }

  /** Asterisk always sends the whole file. */
  readRecording(recordingId: string, _range: string | undefined, signal: AbortSignal): Promise<Response> {
    return this.#ari.fetch('GET', `/recordings/stored/${encodeURIComponent(recordingId)}/file`, {}, signal);
  }

  async deleteRecording(recordingId: string): Promise<void> {
    await this.#ari.sendIfThere('DELETE', `/recordings/stored/${encodeURIComponent(recordingId)}`);
  }

  async settled(): Promise<void> {
    while (this.#calls.size > 0) await this.#callRemoved.promise;
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(new Set(this.#calls.values()), (call) => call.hangUp()));
    // The last events report how the calls ended.
    await waitWithTimeout(closingMs, this.settled());
    this.#calls.clear();
    this.#callRemoved.resolve(undefined);
    this.#ari.close();
  }

  #receive(event: AriEvent): void {
    const channelId = event.channel?.id ?? '';
    const call = event.recording
      ? Array.from(this.#calls.values()).find(({ recordingId }) => recordingId === event.recording?.name)
      : this.#calls.get(channelId);
    if (call) call.receive(event);
    else if (event.type === 'StasisStart' && event.channel) {
      if (event.args?.[0] === 'inbound') void this.#admit(event.channel);
      // Its call has ended: for example, Asterisk dialed the number after a timeout.
      else this.#deleteChannel(channelId).catch(() => undefined);
    }
  }

  /** Moves an inbound call to this process's application, since another process may receive the next calls. */
  async #moveHere({ id }: AriChannel): Promise<void> {
    try {
      await this.#ari.send('POST', `/channels/${id}/move`, { app: this.#application, appArgs: 'inbound' });
    } catch (error) {
      this.#log.error({ err: error }, 'an inbound call was not taken');
      await this.hangUp(id).catch(() => undefined);
    }
  }

  async #admit({ id, caller, dialplan }: AriChannel): Promise<void> {
    let call: AsteriskCall | undefined;
    try {
      const admission = await this.#openHandler().onIncoming({
        carrierCallId: id,
        from: toE164(caller.number),
        to: toE164(dialplan.exten),
      });
      if (admission.type === 'refuse') {
        const reason = admission.reason === 'busy' ? 'busy' : 'normal';
        await this.#ari.sendIfThere('DELETE', `/channels/${id}`, { reason });
        return;
      }
      const { plan } = admission;
      call = this.#createCall(id, plan, { isOutgoing: false });
      this.#calls.set(id, call);
      const limit = { variable: 'TIMEOUT(absolute)', value: String(Math.ceil(plan.maxDuration)) };
      await this.#ari.send('POST', `/channels/${id}/variable`, limit);
      await this.#ari.send('POST', `/channels/${id}/answer`);
      call.receive({ type: 'StasisStart', channel: { id, caller, dialplan, state: 'Up' } });
    } catch (error) {
      this.#log.error({ err: error }, 'an inbound call was not answered');
      // The caller may have hung up meanwhile.
      call?.end(0);
      await this.hangUp(id).catch(() => undefined);
    }
  }

  #createCall(channelId: string, plan: CallPlan, { isOutgoing }: { isOutgoing: boolean }): AsteriskCall {
    return new AsteriskCall(channelId, plan, {
      isOutgoing,
      ari: this.#ari,
      handler: this.#openHandler(),
      lineFactory: this.#lineFactory,
      log: this.#log,
      application: this.#application,
      dial: (id, number, options) => this.#dial(id, number, options),
      followChannel: (id, call) => this.#calls.set(id, call),
      removeCall: (call) => {
        this.#removeCall(call);
      },
    });
  }

  #removeCall(call: AsteriskCall): void {
    for (const [id, known] of this.#calls) if (known === call) this.#calls.delete(id);
    this.#callRemoved.resolve(undefined);
    this.#callRemoved = Promise.withResolvers();
  }

  /** Ends calls whose channels disappeared while there was no connection to Asterisk. */
  async #endLostCalls(): Promise<void> {
    const earlier = [...this.#calls];
    await Promise.allSettled(this.#dialing);
    for (const [id, call] of earlier) {
      const isThere = await this.#ari.sendIfThere('GET', `/channels/${id}`).catch(() => true);
      if (!isThere) call.receive({ type: 'ChannelDestroyed', channel: endedChannel(id), cause: 0 });
    }
  }

  async #hasNoReceiver(): Promise<boolean> {
    const path = `/applications/${encodeURIComponent(this.#config.application)}`;
    return !(await this.#ari.sendIfThere('GET', path));
  }

  /**
   * Whether a number may have been dialed although the request failed. After a timeout or an internal error, only Asterisk
   * knows.
   *
   * @throws if Asterisk does not respond. The call is then kept for its events.
   */
  async #isDialed(channelId: string, error: unknown): Promise<boolean> {
    const isRefused = error instanceof AriError && error.status < 500;
    if (isRefused || isUnsent(error)) return false;
    return this.#ari.sendIfThere('GET', `/channels/${channelId}`);
  }

  #openHandler(): CallHandler {
    if (!this.#handler) throw new Error('The carrier was not opened.');
    return this.#handler;
  }
}

/** Whether an error proves that the request was not sent. */
function isUnsent(error: unknown): boolean {
  const code = (error as { cause?: { code?: string } }).cause?.code;
  return neverSent.has(code ?? '');
}

/** Trunks send numbers with `+`, with `00`, or without a prefix. */
function toE164(number: string): string {
  const digits = number.replace(/^(\+|00)/, '');
  return /^\d{3,15}$/.test(digits) ? `+${digits}` : '';
}

const endedChannel = (id: string): AriChannel => ({
  id,
  state: 'Down',
  caller: { number: '' },
  dialplan: { exten: '' },
});
