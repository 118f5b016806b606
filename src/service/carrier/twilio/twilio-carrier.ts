import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import type twilio from 'twilio';
import { CarrierError } from '../carrier-error.ts';
import type { CallHandler, CallPlan, Carrier, OutgoingCall } from '../carrier.ts';
import { findCallerIds } from './find-numbers.ts';
import type { LineFactory } from '../../realtime/line-factory.ts';
import { RelayServer } from './relay-server.ts';
import { Signature } from './signature.ts';
import { StreamServer } from './stream-server.ts';
import { createTwilioClient, rejectionOf, translateError } from './twilio-client.ts';
import type { TwilioConfig } from './twilio-config.ts';
import { TwilioNumbers } from './twilio-numbers.ts';
import { clamp, longestCall, relayTwiml, streamTwiml } from './twiml.ts';
import { WebhookUrls } from './webhook-urls.ts';
import { twilioWebhooks } from './webhooks.ts';

/** The carrier's error code for an update of a call that is not in progress. */
const callNotInProgress = 21220;
const defaultApiUrl = 'https://api.twilio.com';

/** The call of a connection. */
interface ConnectedCall {
  callSid: string;
  customParameters: { callId: string; token: string; maxDuration: string };
}

/**
 * Makes and receives calls with Twilio. For each call, it opens a WebSocket to any process of the service.
 * ConversationRelay converts between speech and text; for assistants with a realtime model, Media Streams connects the
 * audio. Everything else arrives as webhooks.
 */
export class TwilioCarrier implements Carrier {
  readonly secondMs = 1000;
  readonly callsPerSecond: number;
  /** This service limits its call rate, so the carrier's queue is short unless other programs use the account, too. */
  readonly queueSeconds = 900;
  readonly canReconnect = true;
  readonly routes = new Hono();
  readonly numbers: TwilioNumbers;
  readonly #config: TwilioConfig;
  readonly #client: twilio.Twilio;
  readonly #urls: WebhookUrls;
  readonly #relay: RelayServer;
  readonly #streams: StreamServer;
  readonly #lineFactory: LineFactory;
  readonly #log: Logger;
  #handler: CallHandler | undefined;

  constructor(config: TwilioConfig, lineFactory: LineFactory, log: Logger) {
    this.#config = config;
    this.#lineFactory = lineFactory;
    this.callsPerSecond = config.callsPerSecond;
    this.#log = log;
    this.#client = createTwilioClient(config);
    this.#urls = new WebhookUrls(config.publicUrl);
    this.numbers = new TwilioNumbers(this.#client, this.#urls);
    const dependencies = {
      handler: () => {
        if (!this.#handler) throw new Error('The carrier was not opened.');
        return this.#handler;
      },
      signature: new Signature(config.authToken),
      urls: this.#urls,
      log,
      connectTwiml: (plan: CallPlan, options?: { isIncoming: boolean }) => this.#connectTwiml(plan, options),
      onIncomingConnected: (call: ConnectedCall) => void this.#limitIncoming(call),
    };
    this.routes.route('/twilio', twilioWebhooks(dependencies));
    this.#relay = new RelayServer({ ...dependencies, authToken: config.authToken });
    const hangUp = (callSid: string) => this.hangUp(callSid);
    this.#streams = new StreamServer({ ...dependencies, lineFactory, hangUp });
  }

  open(handler: CallHandler): void {
    this.#handler = handler;
  }

  async dial(call: OutgoingCall): Promise<string> {
    const from = call.from === '' ? this.#config.phoneNumber : call.from;
    if (from === undefined) {
      throw new CarrierError(
        'The assistant has no phone number. Give it one, or let the operator set TWILIO_PHONE_NUMBER.',
        { reason: 'no-caller-id' },
      );
    }
    try {
      const { sid } = await this.#client.calls.create({
        from,
        to: call.to,
        twiml: this.#connectTwiml(call),
        timeout: clamp(call.ringingTime, 5, 600),
        timeLimit: clamp(call.maxDuration, 1, longestCall),
        statusCallback: this.#urls.ofCall(call, 'status'),
        statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
        // Synchronous detection would delay the connection, and the customer would hear nothing.
        machineDetection: 'DetectMessageEnd',
        asyncAmd: 'true',
        asyncAmdStatusCallback: this.#urls.ofCall(call, 'amd'),
        ...(call.record && {
          record: true,
          recordingChannels: 'dual',
          recordingStatusCallback: this.#urls.ofCall(call, 'recording'),
          recordingStatusCallbackEvent: ['completed'],
          trim: 'do-not-trim',
        }),
      });
      return sid;
    } catch (error) {
      throw translateError(error, 'the call');
    }
  }

  async hangUp(carrierCallId: string): Promise<void> {
    await this.#request('to end a call', callNotInProgress, () =>
      this.#client.calls(carrierCallId).update({ status: 'completed' }),
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const server = this.#streams.serves(request) ? this.#streams : this.#relay;
    server.upgrade(request, socket, head);
  }

  async removeCallerId(callerId: string): Promise<void> {
    await this.#request('to remove a caller ID', undefined, async () => {
      const found = await findCallerIds(this.#client, callerId);
      for (const { sid } of found) await this.#client.outgoingCallerIds(sid).remove();
    });
  }

  async readRecording(
    recordingId: string,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const { accountSid, authToken, apiKey, apiUrl = defaultApiUrl } = this.#config;
    const credentials = `${apiKey?.sid ?? accountSid}:${apiKey?.secret ?? authToken}`;
    try {
      return await fetch(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Recordings/${recordingId}.wav`, {
        headers: {
          Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
          // Its ranges and length would otherwise be those of the compressed file.
          'Accept-Encoding': 'identity',
          ...(range === undefined ? {} : { Range: range }),
        },
        signal,
      });
    } catch (error) {
      throw translateError((error as Error).cause ?? error, 'the request for a recording');
    }
  }

  async deleteRecording(recordingId: string): Promise<void> {
    await this.#request('to delete a recording', undefined, () =>
      this.#client.recordings(recordingId).remove(),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#relay.close(), this.#streams.close()]);
  }

  /** Only a realtime model needs the audio. Without one, the carrier converts speech itself. */
  #connectTwiml(plan: CallPlan, { isIncoming = false } = {}): string {
    const needsAudio = this.#lineFactory.modeOf(plan) !== 'pipeline';
    return needsAudio && this.#lineFactory.problem({ ...plan, ...plan.speech }) === undefined
      ? streamTwiml(plan, this.#urls, { isIncoming })
      : relayTwiml(plan, this.#urls, { recordsHere: isIncoming });
  }

  /** Sends a request. Succeeds if the object is gone, or is in a state that makes the request unnecessary. */
  async #request(
    action: string,
    unnecessary: number | undefined,
    send: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await send();
    } catch (error) {
      const rejection = rejectionOf(error);
      if (rejection?.status === 404 || (rejection !== undefined && rejection.code === unnecessary)) return;
      throw translateError(error, action);
    }
  }

  /** Sets the time limit and the status webhook, which a dialed call gets when it is created. */
  async #limitIncoming({ callSid, customParameters }: ConnectedCall): Promise<void> {
    const { callId, token, maxDuration } = customParameters;
    try {
      await this.#request('to limit a call', callNotInProgress, () =>
        this.#client.calls(callSid).update({
          timeLimit: clamp(Number(maxDuration), 1, longestCall),
          statusCallback: this.#urls.ofCall({ callId: Number(callId), token }, 'status'),
        }),
      );
    } catch (error) {
      this.#log.warn(
        { err: error, callId: Number(callId) },
        'an incoming call has no time limit at the carrier',
      );
    }
  }
}
