import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { waitWithTimeout } from '../../lib/with-timeout.ts';
import type { CallLine, LineFactory } from '../../realtime/line-factory.ts';
import type { CallHandler, CallPlan, CallReport, NextStep } from '../carrier.ts';
import type { AriClient, AriEvent } from './ari-client.ts';
import { unreachedReason } from './hangup-cause.ts';
import { MachineDetection } from './machine-detection.ts';
import { mediaFormat, WebSocketPeer } from './websocket-peer.ts';

export interface DialOptions {
  callerId?: string | undefined;
  /** The channel for which the number is dialed, if any. */
  originator?: string;
  /** Seconds. */
  ringingTime: number;
  /** Seconds after the answer. */
  maxDuration: number;
}

export interface AsteriskCallDependencies {
  ari: AriClient;
  handler: CallHandler;
  lineFactory: LineFactory;
  log: Logger;
  /** Application that receives the events of this process. */
  application: string;
  /** Whether the service dialed the call. Only then is machine detection needed. */
  isOutgoing: boolean;
  /** Dials a number on a new channel. */
  dial: (channelId: string, number: string, options: DialOptions) => Promise<void>;
  /** Follows the events of another channel of the call. */
  followChannel: (channelId: string, call: AsteriskCall) => void;
  /** Called when the call is over and its events are no longer needed. */
  removeCall: (call: AsteriskCall) => void;
}

const mediaStartMs = 5000;

/** The channel of the phone to which a call is transferred. Another process can find it if this one dies. */
export const otherPhoneOf = (channelId: string): string => `${channelId}-transfer`;

type Transfer = { channelId: string; isAnswered: boolean; ended: PromiseWithResolvers<undefined> };

/**
 * A call at Asterisk that this process owns: a bridge with the customer's channel and the service's audio channel or,
 * after a transfer, the other phone's channel.
 */
export class AsteriskCall {
  readonly channelId: string;
  readonly #dependencies: AsteriskCallDependencies;
  readonly #log: Logger;
  #plan: CallPlan;
  #bridgeId: string | undefined;
  /** Resolves when the bridge has been set up, or could not be. */
  #bridging: Promise<unknown> = Promise.resolve();
  #recordingId: string | undefined;
  #line: CallLine | undefined;
  /** The channel of the current line. It can enter the bridge once it has started. */
  #media: { channelId: string; started: PromiseWithResolvers<undefined> } | undefined;
  #transfer: Transfer | undefined;
  #detection: MachineDetection | undefined;
  #answeredAt: number | undefined;
  #hasEnded = false;
  /** Reports are sent one after another. */
  #reports = Promise.resolve();

  constructor(channelId: string, plan: CallPlan, dependencies: AsteriskCallDependencies) {
    this.channelId = channelId;
    this.#plan = plan;
    this.#dependencies = dependencies;
    this.#log = dependencies.log.child({ callId: plan.callId });
  }

  get recordingId(): string | undefined {
    return this.#recordingId;
  }

  /** Handles an event of one of the call's channels. */
  receive(event: AriEvent): void {
    const isCustomer = event.channel?.id === this.channelId;
    if (event.type === 'RecordingFinished' && event.recording) {
      this.#recorded(event.recording.name, event.recording.duration ?? 0);
    } else if (event.type === 'RecordingFailed') {
      this.#recordingFailed();
    } else if (event.type === 'StasisStart') {
      if (isCustomer) void this.#run();
      else if (event.channel?.id === this.#media?.channelId) this.#media?.started.resolve(undefined);
      else if (event.channel?.id === this.#detection?.channelId)
        this.#detect((found) => found.onEntered(event));
      else void this.#joinTransfer(event.channel?.id);
    } else if (event.type === 'ChannelDtmfReceived' && isCustomer) {
      this.#line?.press(event.digit ?? '');
    } else if (event.type === 'ChannelStateChange' && isCustomer && event.channel?.state === 'Ringing') {
      this.#report({ type: 'ringing' });
    } else if (event.type === 'StasisEnd' && isCustomer) {
      // Inbound channels send no further events.
      this.end(0);
    } else if (event.type === 'ChannelDestroyed') {
      if (isCustomer) this.end(event.cause ?? 0);
      else if (event.channel?.id === this.#transfer?.channelId) this.#transfer?.ended.resolve(undefined);
    }
  }

  /** The customer's channel is gone. */
  end(cause: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#line?.close('customer');
    if (this.#answeredAt === undefined) {
      this.#report({ type: 'unreached', reason: unreachedReason(cause) });
    } else {
      this.#report({ type: 'ended', seconds: Math.ceil((performance.now() - this.#answeredAt) / 1000) });
    }
    void this.#cleanUp();
  }

  async hangUp(): Promise<void> {
    await this.#dependencies.ari.sendIfThere('DELETE', `/channels/${this.channelId}`);
  }

  /** Runs the call after it is answered. */
  async #run(): Promise<void> {
    if (this.#answeredAt !== undefined) return;
    this.#answeredAt = performance.now();
    try {
      const bridging = this.#openBridge();
      this.#bridging = bridging.catch(() => undefined);
      await bridging;
      if (this.#dependencies.isOutgoing && !this.#hasEnded) this.#startDetection();
      let step: NextStep = { type: 'connect', plan: this.#plan };
      while (step.type !== 'hang-up' && !this.#hasEnded) step = await this.#take(step);
    } catch (error) {
      if (!this.#hasEnded) this.#log.error({ err: error }, 'the call was ended by an error');
    }
    await this.hangUp().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the call was not ended at Asterisk');
    });
  }

  async #openBridge(): Promise<void> {
    const { ari } = this.#dependencies;
    const { id } = (await ari.send('POST', '/bridges', { type: 'mixing' })) as { id: string };
    this.#bridgeId = id;
    await this.#addToBridge(this.channelId);
    if (this.#plan.record && !this.#hasEnded) await this.#record();
  }

  #startDetection(): void {
    const { ari, application, followChannel } = this.#dependencies;
    this.#detection = new MachineDetection(ari, application, (by) => {
      this.#report({ type: 'identified', by });
    });
    followChannel(this.#detection.channelId, this);
    this.#detect((detection) => detection.start(this.channelId));
  }

  /** The call continues if detection fails. */
  #detect(step: (detection: MachineDetection) => Promise<void>): void {
    if (!this.#detection || this.#hasEnded) return;
    step(this.#detection).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'machine detection failed');
    });
  }

  async #take(step: Exclude<NextStep, { type: 'hang-up' }>): Promise<NextStep> {
    const cause = step.type === 'transfer' ? await this.#transferTo(step) : await this.#converse(step.plan);
    if (cause === 'hang-up' || this.#hasEnded) return { type: 'hang-up' };
    const { callId, token } = this.#plan;
    return this.#dependencies.handler.onDisconnected({ callId, token, cause });
  }

  /** Connects the audio of the call to the service. Resolves when the conversation on this line is over. */
  async #converse(plan: CallPlan): Promise<'hang-up' | 'left' | 'lost'> {
    const { ari, application, lineFactory, handler, followChannel } = this.#dependencies;
    this.#plan = plan;
    const media = { channelId: randomUUID(), started: Promise.withResolvers<undefined>() };
    this.#media = media;
    followChannel(media.channelId, this);
    const { channelvars } = await ari.sendForChannel('/channels/externalMedia', {
      app: application,
      channelId: media.channelId,
      external_host: 'INCOMING',
      transport: 'websocket',
      encapsulation: 'none',
      connection_type: 'server',
      format: mediaFormat,
      transport_data: 'f(json)',
    });
    let peer: WebSocketPeer | undefined;
    let end: 'hang-up' | 'left' | 'lost' = 'lost';
    try {
      const connectionId = channelvars?.['MEDIA_WEBSOCKET_CONNECTION_ID'];
      if (connectionId === undefined) throw new Error('Asterisk returned no connection for the audio.');
      const socket = ari.openSocket(`/media/${connectionId}`, 'media');
      peer = new WebSocketPeer(socket);
      await once(socket, 'open');
      await waitWithTimeout(mediaStartMs, media.started.promise);
      await this.#addToBridge(media.channelId);
      const line = lineFactory.createLine(plan, {
        peer,
        log: this.#log,
        control: {
          sendDigits: (digits) => this.#sendDigits(digits),
          end: (how) => {
            end = how === 'leave' ? 'left' : how;
            return Promise.resolve();
          },
        },
      });
      this.#line = line;
      if (this.#hasEnded) line.close('customer');
      const { callId, token, connectToken } = plan;
      await handler.onConnected({ callId, token, connectToken, carrierCallId: this.channelId }, line);
      // If the conversation ended on an open line, hangs up.
      return line.hasEnded ? end : 'hang-up';
    } finally {
      this.#line = undefined;
      peer?.close();
      await ari.sendIfThere('DELETE', `/channels/${media.channelId}`);
    }
  }

  /** Resolves to `unanswered` if the other phone was not answered, or to `transferred` when it has hung up. */
  async #transferTo(step: Extract<NextStep, { type: 'transfer' }>): Promise<'transferred' | 'unanswered'> {
    const { ari, dial, followChannel } = this.#dependencies;
    const channelId = otherPhoneOf(this.channelId);
    const transfer = { channelId, isAnswered: false, ended: Promise.withResolvers<undefined>() };
    await ari.sendIfThere('POST', `/channels/${this.channelId}/ring`);
    if (this.#hasEnded) return 'unanswered';
    this.#transfer = transfer;
    // Not before the request to dial: a channel that does not exist would seem lost.
    followChannel(channelId, this);
    try {
      await dial(channelId, step.to, { ...step, originator: this.channelId });
      await transfer.ended.promise;
    } catch (error) {
      this.#log.warn({ err: error }, 'the call was not transferred');
    } finally {
      this.#transfer = undefined;
      await ari.sendIfThere('DELETE', `/channels/${channelId}`);
      if (!transfer.isAnswered) await ari.sendIfThere('DELETE', `/channels/${this.channelId}/ring`);
    }
    return transfer.isAnswered ? 'transferred' : 'unanswered';
  }

  /** Handles the answer of the other phone. */
  async #joinTransfer(channelId: string | undefined): Promise<void> {
    const transfer = this.#transfer;
    if (!transfer || transfer.channelId !== channelId) return;
    transfer.isAnswered = true;
    this.#report({ type: 'transfer-answered' });
    try {
      await this.#dependencies.ari.sendIfThere('DELETE', `/channels/${this.channelId}/ring`);
      await this.#addToBridge(channelId);
    } catch (error) {
      this.#log.warn({ err: error }, 'the other phone was not connected');
      transfer.ended.resolve(undefined);
    }
  }

  async #addToBridge(channelId: string): Promise<void> {
    await this.#dependencies.ari.send('POST', `/bridges/${this.#bridgeId ?? ''}/addChannel`, {
      channel: channelId,
    });
  }

  /** Starts the recording. The call continues if that fails. */
  async #record(): Promise<void> {
    const recordingId = `recording-${randomUUID()}`;
    try {
      const query = { name: recordingId, format: 'wav', ifExists: 'fail' };
      await this.#dependencies.ari.send('POST', `/bridges/${this.#bridgeId ?? ''}/record`, query);
      this.#recordingId = recordingId;
    } catch (error) {
      this.#log.error({ err: error }, 'the call is not recorded');
    }
  }

  #recorded(recordingId: string, seconds: number): void {
    this.#report({ type: 'recorded', recordingId, seconds });
    this.#recordingId = undefined;
    if (this.#hasEnded) this.#removeCall();
  }

  /** Also ends the recording, which an event then reports. */
  async #removeBridge(): Promise<void> {
    if (this.#bridgeId === undefined) return;
    try {
      const { ari } = this.#dependencies;
      if (await ari.sendIfThere('DELETE', `/bridges/${this.#bridgeId}`)) return;
      // Asterisk was restarted, so no event follows.
      const id = this.#recordingId;
      if (id === undefined) return;
      if (await ari.sendIfThere('GET', `/recordings/stored/${id}`)) this.#recorded(id, 0);
      else this.#recordingFailed();
    } catch (error) {
      if (this.#recordingId !== undefined) this.#recordingFailed();
      throw error;
    }
  }

  #recordingFailed(): void {
    this.#log.error('the recording of the call failed');
    this.#recordingId = undefined;
    if (this.#hasEnded) this.#removeCall();
  }

  /** Sends keys; `w` is a pause of half a second. */
  async #sendDigits(digits: string): Promise<void> {
    for (const [part] of digits.matchAll(/w|[0-9*#]+/g)) {
      if (part === 'w') {
        await pause(500);
        continue;
      }
      const query = { dtmf: part, between: '100', duration: '100' };
      await this.#dependencies.ari.sendIfThere('POST', `/channels/${this.channelId}/dtmf`, query);
      await pause(part.length * 200);
    }
  }

  async #cleanUp(): Promise<void> {
    const { ari } = this.#dependencies;
    // If the customer hangs up early, the requests that create the bridge and the recording are still pending.
    await this.#bridging;
    const transfer = this.#transfer;
    const requests: Promise<unknown>[] = [this.#removeBridge()];
    if (transfer) requests.push(ari.sendIfThere('DELETE', `/channels/${transfer.channelId}`));
    if (this.#detection) requests.push(this.#detection.stop());
    for (const result of await Promise.allSettled(requests)) {
      if (result.status === 'rejected')
        this.#log.warn({ err: result.reason as unknown }, 'a part of a call was not removed');
    }
    transfer?.ended.resolve(undefined);
    if (this.#recordingId === undefined) this.#removeCall();
  }

  /** Releases the call once its reports have been handled. */
  #removeCall(): void {
    void this.#reports.then(() => {
      this.#dependencies.removeCall(this);
    });
  }

  #report(report: DistributiveOmit<CallReport, 'callId' | 'token'>): void {
    const { callId, token } = this.#plan;
    const whole: CallReport = { ...report, callId, token, carrierCallId: this.channelId };
    this.#reports = this.#reports
      .then(() => this.#dependencies.handler.onReport(whole))
      .catch((error: unknown) => {
        this.#log.error({ err: error, report: report.type }, "a call's report was not handled");
      });
  }
}

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;
