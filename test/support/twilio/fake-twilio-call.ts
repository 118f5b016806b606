import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.ts';
import { FakeRelay } from './fake-relay.ts';
import type { SessionEnd, Speaking } from './fake-relay.ts';
import { FakeStream } from './fake-stream.ts';
import { readTwiml } from './twiml.ts';
import type { TwimlElement } from './twiml.ts';

export type Form = Readonly<Record<string, string>>;

/** The answer of the service to a webhook. */
export interface WebhookAnswer {
  status: number;
  body: string;
}

/** The parts of the carrier that a call uses. */
export interface CallCarrier {
  readonly accountSid: string;
  /** Sends a signed request to an address of the service. */
  request(url: string, form: Form): Promise<WebhookAnswer>;
  /** The signed headers of a request, and the address of a process that the request reaches. */
  address(url: string): { address: string; headers: Record<string, string> };
  readonly speaking: Speaking;
  addRecording(callSid: string): string;
}

export const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex');

/** A transfer of the customer to another number. */
export interface Transfer {
  to: string;
  callerId: string;
  timeout: number;
  timeLimit: number;
  action: string;
  /** The address to which the answer is reported. */
  statusCallback: string;
}

/** A call at the carrier. Nothing happens by itself: the test rings, answers, speaks and hangs up. */
export class FakeTwilioCall {
  readonly sid = newSid('CA');
  readonly direction: 'inbound' | 'outbound-api';
  /** The request that created the call, as the client sent it. */
  readonly form: Form;
  /** Answers of the service to webhooks of this call. */
  readonly answers: WebhookAnswer[] = [];
  readonly problems: string[] = [];
  readonly relays: FakeRelay[] = [];
  readonly streams: FakeStream[] = [];
  status = 'queued';
  /** Whether the call is over and all its reports were sent. */
  isDone = false;
  transfer: Transfer | undefined;
  /** Time limit and status callback, which a request can set later. */
  timeLimit: string | undefined;
  statusCallback: string | undefined;
  /** Seconds that the call has lasted. */
  duration = 42;
  #action = '';
  #sequence = 0;
  readonly #carrier: CallCarrier;

  constructor(carrier: CallCarrier, direction: FakeTwilioCall['direction'], form: Form) {
    this.#carrier = carrier;
    this.direction = direction;
    this.form = form;
    this.timeLimit = form['TimeLimit'];
    this.statusCallback = form['StatusCallback'];
  }

  get relay(): FakeRelay {
    const relay = this.relays.at(-1);
    if (!relay) throw new Error('The call is not connected.');
    return relay;
  }

  get isOver(): boolean {
    return ['completed', 'busy', 'failed', 'no-answer', 'canceled'].includes(this.status);
  }

  /** Limits the duration of the whole call. Ends the call if it has already lasted longer. */
  limit(seconds: string): void {
    this.timeLimit = seconds;
    if (this.duration >= Number(seconds)) void this.hangUp();
  }

  /** Sends a status callback. It may be sent late or twice, and does not change the call. */
  async report(status: string, fields: Form = {}): Promise<WebhookAnswer | undefined> {
    const events = (this.form['StatusCallbackEvent'] ?? 'completed').split(' ');
    const event = { 'in-progress': 'answered', queued: 'initiated' }[status] ?? status;
    const isFinal = !['queued', 'initiated', 'ringing', 'in-progress'].includes(status);
    if (this.statusCallback === undefined || !(events.includes(event) || isFinal)) return undefined;
    return this.request(this.statusCallback, {
      CallStatus: status,
      ...(isFinal && { CallDuration: status === 'completed' ? String(this.duration) : '0' }),
      Timestamp: new Date().toUTCString(),
      SequenceNumber: String(this.#sequence++),
      CallbackSource: 'call-progress-events',
      ...fields,
    });
  }

  /** Sends a webhook with the usual fields. */
  async request(url: string, fields: Form): Promise<WebhookAnswer> {
    const answer = await this.#carrier.request(url, {
      ApiVersion: '2010-04-01',
      AccountSid: this.#carrier.accountSid,
      CallSid: this.sid,
      From: this.form['From'] ?? '',
      To: this.form['To'] ?? '',
      Direction: this.direction,
      CallStatus: this.status,
      ...fields,
    });
    this.answers.push(answer);
    return answer;
  }

  async ring(): Promise<void> {
    this.status = 'ringing';
    await this.report('ringing');
  }

  /** The customer answers: the carrier reports it and follows its instructions. */
  async answer({ isReported = true } = {}): Promise<FakeRelay | undefined> {
    this.status = 'in-progress';
    if (isReported) await this.report('in-progress');
    return this.perform(this.form['Twiml'] ?? '');
  }

  /** Ends the call before it is answered. */
  async end(status: 'busy' | 'failed' | 'no-answer' | 'canceled'): Promise<void> {
    this.status = status;
    await this.report(status);
    this.isDone = true;
  }

  /** The carrier reports who answered. */
  async identify(answeredBy: string): Promise<WebhookAnswer> {
    return this.request(this.form['AsyncAmdStatusCallback'] ?? '', {
      AnsweredBy: answeredBy,
      MachineDetectionDuration: '2100',
    });
  }

  /** The customer hangs up. */
  async hangUp(): Promise<void> {
    if (this.isOver) return;
    this.status = 'completed';
    const relay = this.relays.at(-1);
    if (relay && relay.closeCode === undefined) {
      relay.hangUp();
      await relay.ended;
    }
    const stream = this.streams.at(-1);
    stream?.hangUp();
    await stream?.ended;
    await this.complete();
  }

  /** The customer hangs up. The carrier reports it, and then loses the connection without closing it. */
  async vanish(): Promise<void> {
    this.status = 'completed';
    await this.report('completed');
    this.relay.drop();
    await this.relay.ended;
    this.isDone = true;
  }

  /** The call ends for good. */
  async complete(): Promise<void> {
    this.status = 'completed';
    await this.report('completed');
    const callback = this.form['RecordingStatusCallback'];
    if (this.form['Record'] === 'true' && callback !== undefined) await this.record(callback);
    this.isDone = true;
  }

  async record(callback: string): Promise<string> {
    const recording = this.#carrier.addRecording(this.sid);
    await this.request(callback, {
      RecordingSid: recording,
      RecordingUrl: `https://api.twilio.com/2010-04-01/Accounts/${this.#carrier.accountSid}/Recordings/${recording}`,
      RecordingStatus: 'completed',
      RecordingDuration: '7',
      RecordingChannels: '2',
    });
    return recording;
  }

  /** The other phone is answered: it is a call of its own, whose parent is this one. */
  async answerTransfer(): Promise<void> {
    const { statusCallback, to = '' } = this.transfer ?? {};
    if (statusCallback === undefined) throw new Error('The call is not transferred.');
    await this.request(statusCallback, {
      CallSid: newSid('CA'),
      ParentCallSid: this.sid,
      To: to,
      CallStatus: 'in-progress',
      CallbackSource: 'call-progress-events',
    });
  }

  /** The customer hangs up during a transfer. The carrier reports both ends, in no particular order. */
  async hangUpTransfer(
    status: 'completed' | 'no-answer' | 'canceled',
    { isReported = true } = {},
  ): Promise<void> {
    this.status = 'completed';
    if (isReported) await this.complete();
    await this.endTransfer(status);
  }

  /** The end of a transfer. */
  async endTransfer(status: 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'): Promise<void> {
    if (!this.transfer) throw new Error('The call is not transferred.');
    const { action } = this.transfer;
    this.transfer = undefined;
    const answer = await this.request(action, { DialCallStatus: status, DialCallSid: newSid('CA') });
    await this.#obey(answer);
  }

  /** Waits until the call has a connection to the service. */
  connected(count = 1): Promise<FakeRelay> {
    return eventually(
      () => `connection ${count} of the call; problems: ${this.problems.join('; ')}`,
      () => this.relays[count - 1],
    );
  }

  /** Waits until the service has the audio of the call. */
  streamed(count = 1): Promise<FakeStream> {
    return eventually(
      () => `stream ${count} of the call; problems: ${this.problems.join('; ')}`,
      () => this.streams[count - 1],
    );
  }

  /** Waits until the call is over. */
  over(milliseconds?: number): Promise<true> {
    return eventually(
      () => `the end of the call, which is ${this.status}; problems: ${this.problems.join('; ')}`,
      () => this.isDone,
      milliseconds,
    );
  }

  /** Follows instructions. Resolves when they are done, or with the session that they opened. */
  async perform(document: string): Promise<FakeRelay | undefined> {
    const [verb, ...others] = this.#read(document);
    const connect = verb?.name === 'Start' ? others.shift() : verb;
    if (connect?.name === 'Connect' && connect.children[0]?.name === 'Stream') {
      await this.#stream(connect.children[0], others[0]);
      return undefined;
    }
    if (connect?.name === 'Connect') return this.#connect(connect);
    if (connect?.name === 'Dial') {
      const { action = '', callerId = '', timeout = '', timeLimit = '' } = connect.attributes;
      const [number] = connect.children;
      this.transfer = {
        ...{ to: number?.text ?? '', callerId, action },
        ...{ timeout: Number(timeout), timeLimit: Number(timeLimit) },
        statusCallback: number?.attributes['statusCallback'] ?? '',
      };
    } else if (connect?.name === 'Reject') {
      this.status = connect.attributes['reason'] === 'busy' ? 'busy' : 'no-answer';
      this.isDone = true;
    } else await this.complete();
    return undefined;
  }

  #read(document: string): TwimlElement[] {
    try {
      return [...readTwiml(document).children];
    } catch (error) {
      this.problems.push((error as Error).message);
      return [];
    }
  }

  async #obey({ status, body }: WebhookAnswer): Promise<void> {
    if (this.isOver) return;
    if (status === 200) await this.perform(body);
    else {
      this.problems.push(`the service responded with ${status}`);
      await this.complete();
    }
  }

  /** Connects the audio of the call. When the connection ends before the call, the next instruction follows. */
  async #stream({ attributes, children }: TwimlElement, next: TwimlElement | undefined): Promise<void> {
    const parameters = children.map(({ attributes: one }) => [one['name'], one['value']]);
    const { address, headers } = this.#carrier.address(attributes['url'] ?? '');
    const socket = new WebSocket(address, { headers, perMessageDeflate: false });
    await once(socket, 'open');
    const stream = new FakeStream(socket, newSid('MZ'));
    stream.start({
      accountSid: this.#carrier.accountSid,
      callSid: this.sid,
      customParameters: Object.fromEntries(parameters) as Record<string, string>,
    });
    this.streams.push(stream);
    stream.ended
      .then(async () => {
        if (this.isOver) return;
        if (next?.name === 'Redirect') await this.#obey(await this.request(next.text, {}));
        else await this.complete();
      })
      .catch((error: unknown) => this.problems.push(String(error)));
  }

  async #connect({ attributes, children: [noun] }: TwimlElement): Promise<FakeRelay | undefined> {
    this.#action = attributes['action'] ?? '';
    const parameters = noun?.children.map(({ attributes: one }) => [one['name'], one['value']]) ?? [];
    const { address, headers } = this.#carrier.address(noun?.attributes['url'] ?? '');
    const socket = new WebSocket(address, { headers, perMessageDeflate: false });
    try {
      await once(socket, 'open');
    } catch (error) {
      this.problems.push(`no connection: ${(error as Error).message}`);
      await this.#sessionEnded({ status: 'failed', handoffData: '' }, 0);
      return undefined;
    }
    const relay = new FakeRelay(socket, newSid('VX'));
    relay.speaking = { ...this.#carrier.speaking };
    relay.send({
      type: 'setup',
      sessionId: relay.sessionId,
      accountSid: this.#carrier.accountSid,
      parentCallSid: '',
      callSid: this.sid,
      from: this.form['From'],
      to: this.form['To'],
      forwardedFrom: '',
      callType: 'PSTN',
      callerName: '',
      direction: this.direction,
      callStatus: 'IN-PROGRESS',
      customParameters: Object.fromEntries(parameters) as Record<string, string>,
    });
    this.relays.push(relay);
    relay.ended
      .then((end) => this.#sessionEnded(end, performance.now() - relay.startedAt))
      .catch((error: unknown) => this.problems.push(String(error)));
    return relay;
  }

  async #sessionEnded({ status, handoffData }: SessionEnd, milliseconds: number): Promise<void> {
    // Without an action, the carrier continues with the next instruction. There is none, so the call ends.
    if (this.#action === '') {
      await this.complete();
      return;
    }
    const fields = {
      SessionId: this.relays.at(-1)?.sessionId ?? newSid('VX'),
      SessionStatus: status,
      SessionDuration: String(Math.round(milliseconds / 1000)),
      ...(handoffData === '' ? {} : { HandoffData: handoffData }),
      ...(status === 'failed' ? { ErrorCode: '64105', ErrorMessage: 'WebSocket ended' } : {}),
    };
    await this.#obey(await this.request(this.#action, fields));
  }
}
