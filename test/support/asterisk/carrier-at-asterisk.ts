import { pino } from 'pino';
import { AsteriskCarrier } from '../../../src/service/carrier/asterisk/asterisk-carrier.ts';
import type { Admission, CallReport, NextStep, OutgoingCall } from '../../../src/service/carrier/carrier.ts';
import { LineFactory } from '../../../src/service/realtime/line-factory.ts';
import type { Line } from '../../../src/service/voice/line.ts';
import { callPlan, noRealtime } from '../calls/call-plan.ts';
import { MemoryVoice } from '../calls/memory-voice.ts';
import { FakeAri } from './fake-ari.ts';

export const application = 'voice-assistant-chat';

/** The carrier, connected to a fake Asterisk, with a service that keeps each call until its end. */
export class CarrierAtAsterisk {
  readonly ari: FakeAri;
  readonly carrier: AsteriskCarrier;
  readonly reports: CallReport[] = [];
  /** The connected lines. */
  readonly lines: Line[] = [];
  admit: () => Promise<Admission>;
  disconnected = (): Promise<NextStep> => Promise.resolve({ type: 'hang-up' });
  readonly #over = Promise.withResolvers<undefined>();
  readonly #call: OutgoingCall;

  private constructor(ari: FakeAri, call: OutgoingCall, lineFactory: LineFactory) {
    this.ari = ari;
    this.#call = call;
    this.admit = () => Promise.resolve({ type: 'accept', plan: call });
    const config = { url: ari.url, user: 'u', password: 'p', endpoint: 'PJSIP/{number}@trunk', application };
    this.carrier = new AsteriskCarrier(
      { ...config, phoneNumber: undefined },
      lineFactory,
      pino({ level: 'silent' }),
    );
    this.carrier.open({
      planOf: () => Promise.resolve(call),
      onConnected: async (_, line) => {
        this.lines.push(line);
        await this.#over.promise;
      },
      onReport: (report) => Promise.resolve(void this.reports.push(report)),
      onDisconnected: () => this.disconnected(),
      onIncoming: () => this.admit(),
    });
  }

  static async start(
    plan: Partial<OutgoingCall> = {},
    voice = new LineFactory({ speech: new MemoryVoice(), ...noRealtime }),
  ): Promise<CarrierAtAsterisk> {
    const call = { ...callPlan(), from: '', to: '+493087654321', ringingTime: 30, ...plan };
    return new CarrierAtAsterisk(await FakeAri.start(), call, voice);
  }

  /** The application of the carrier's process, once it receives events. */
  application(): Promise<string> {
    return this.ari.connected((name) => name.startsWith(`${application}-`));
  }

  /** Makes a call; returns its application and channel. */
  async dial(): Promise<{ app: string; channelId: string }> {
    return { app: await this.application(), channelId: await this.carrier.dial(this.#call) };
  }

  /** Makes a call that is answered. */
  async answer(): Promise<{ app: string; channelId: string }> {
    const dialed = await this.dial();
    this.ari.send(dialed.app, 'StasisStart', dialed.channelId);
    return dialed;
  }

  /** Ends the conversations. */
  finish(): void {
    this.#over.resolve(undefined);
  }

  async close(): Promise<void> {
    this.#over.resolve(undefined);
    await this.carrier.close();
    await this.ari.close();
  }
}
