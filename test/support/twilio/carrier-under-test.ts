import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { pino } from 'pino';
import { TwilioCarrier } from '../../../src/service/carrier/twilio/twilio-carrier.ts';
import type {
  Admission,
  CallHandler,
  CallReport,
  IncomingCall,
  NextStep,
  OutgoingCall,
} from '../../../src/service/carrier/carrier.ts';
import { LineFactory } from '../../../src/service/realtime/line-factory.ts';
import type { Line, LinePlan } from '../../../src/service/voice/line.ts';
import { Refusal } from '../../../src/service/lib/refusal.ts';
import { callPlan, noRealtime } from '../calls/call-plan.ts';
import { MemoryVoice } from '../calls/memory-voice.ts';
import { credentials, publicUrl, FakeTwilio } from './fake-twilio.ts';
import { atEnd } from '../service/service.ts';

type Disconnection = Parameters<CallHandler['onDisconnected']>[0];
type Connection = Parameters<CallHandler['onConnected']>[0];

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** A service without a database: the test sets its answers. */
export class ScriptedService implements CallHandler {
  readonly connections: Connection[] = [];
  readonly reports: CallReport[] = [];
  readonly disconnections: Disconnection[] = [];
  readonly incoming: IncomingCall[] = [];
  converse: (line: Line) => Promise<void> = () => Promise.resolve();
  nextStep: NextStep = { type: 'hang-up' };
  admission: Admission = { type: 'refuse', reason: 'rejected' };

  planOf(call: { callId: number; token: string }): Promise<LinePlan> {
    check(call);
    return Promise.resolve(plan);
  }

  async onConnected(call: Connection, line: Line): Promise<void> {
    check(call);
    this.connections.push(call);
    await this.converse(line);
  }

  onReport(report: CallReport): Promise<void> {
    check(report);
    this.reports.push(report);
    return Promise.resolve();
  }

  onDisconnected(call: Disconnection): Promise<NextStep> {
    check(call);
    this.disconnections.push(call);
    return Promise.resolve(this.nextStep);
  }

  onIncoming(call: IncomingCall): Promise<Admission> {
    this.incoming.push(call);
    return Promise.resolve(this.admission);
  }
}

/** The call that the scripted service knows. */
export const plan = callPlan();
export const { token } = plan;

function check(call: { callId: number; token: string }): void {
  if (call.callId !== 7 || call.token !== token) throw Refusal.notFound('Call');
}

export const from = '+493012345678';
export const to = '+493087654321';
export const outgoing: OutgoingCall = { ...plan, from, to, ringingTime: 30 };

/** Starts the carrier with a scripted service behind a real HTTP server, and the fake Twilio. */
export async function startCarrier(settings: { phoneNumber?: string; publicUrl?: string } = {}) {
  const twilio = await FakeTwilio.start();
  twilio.own(from);
  const service = new ScriptedService();
  const logLines: string[] = [];
  const log = pino({}, { write: (line: string) => void logLines.push(line) });
  const config = {
    ...credentials,
    apiKey: undefined,
    apiUrl: twilio.url,
    callsPerSecond: 1000,
    phoneNumber: settings.phoneNumber,
    publicUrl: settings.publicUrl ?? publicUrl,
  };
  twilio.publicUrl = config.publicUrl;
  const voice = new LineFactory({ speech: new MemoryVoice(), ...noRealtime });
  const carrier = new TwilioCarrier(config, voice, log);
  carrier.open(service);
  const app = new Hono().route('/api/carrier', carrier.routes);
  app.onError((_, c) => c.text('failed', 500));
  const server = createServer((request, response) => void getRequestListener(app.fetch)(request, response));
  server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
    carrier.upgrade(request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  twilio.reach(url);
  atEnd(async () => {
    await twilio.close();
    await carrier.close();
    server.close();
    server.closeAllConnections();
  });
  return { twilio, service, carrier, url, logLines };
}

/** Yields tokens as a model writes them. */
export async function* tokens(...list: (string | Promise<string>)[]): AsyncGenerator<string> {
  for (const one of list) yield await one;
}
