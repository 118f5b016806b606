import { setTimeout as pause } from 'node:timers/promises';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readByteRange } from '../../../src/service/recording/answer-range.ts';
import type { LoopbackServer, ReceivedRequest } from '../servers/loopback-server.ts';
import { startLoopbackServer } from '../servers/loopback-server.ts';
import type { Speaking } from './fake-relay.ts';
import { newSid, FakeTwilioCall } from './fake-twilio-call.ts';
import type { CallCarrier, Form, WebhookAnswer } from './fake-twilio-call.ts';
import { eventually } from '../eventually.ts';
import { maxTwimlLength, readTwiml } from './twiml.ts';

/** The credentials that the fake Twilio accepts. */
export const credentials = {
  accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
  authToken: 'the-secret-auth-token-of-twilio0',
} as const;

/** The public address of the service. Requests to it reach one of the processes, as through a proxy. */
export const publicUrl = 'https://voice.example.com';

/** Settings of a service that uses the fake Twilio. */
export const twilioSettings = (twilio: FakeTwilio) => ({
  CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: credentials.accountSid,
  TWILIO_AUTH_TOKEN: credentials.authToken,
  TWILIO_API_URL: twilio.url,
  TWILIO_CALLS_PER_SECOND: '1000',
  PUBLIC_URL: publicUrl,
});

/** A number that the account owns. */
export interface OwnedNumber {
  sid: string;
  phoneNumber: string;
  voiceUrl: string;
}

/** Signs a request as the carrier does: HMAC-SHA1 over the address and the sorted fields. */
export function sign(url: string, form: Form = {}, authToken: string = credentials.authToken): string {
  const fields = Object.keys(form)
    .sort()
    .map((name) => name + (form[name] ?? ''));
  return createHmac('sha1', authToken)
    .update(url + fields.join(''))
    .digest('base64');
}

/** A request that the interface refuses. */
class Refused extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const e164 = /^\+[1-9]\d{6,14}$/;
const callStatusEvents = ['initiated', 'ringing', 'answered', 'completed'];

/**
 * A fake Twilio: accepts the requests of the real client, refuses what the published interface refuses, sends
 * signed webhooks and opens the WebSocket of ConversationRelay. It was never compared with the real carrier.
 */
export class FakeTwilio implements CallCarrier {
  readonly accountSid = credentials.accountSid;
  /** Another public address of the service. */
  publicUrl: string = publicUrl;
  readonly calls: FakeTwilioCall[] = [];
  readonly recordings = new Map<string, { callSid: string; file: Uint8Array }>();
  readonly numbers: OwnedNumber[] = [];
  readonly callerIds: { sid: string; phoneNumber: string }[] = [];
  /** Codes that verify caller IDs, by number. */
  readonly validationCodes = new Map<string, string>();
  /** Numbers for sale by country and kind. */
  readonly offers = new Map<
    string,
    Partial<Record<'Local' | 'National' | 'Mobile' | 'TollFree', string[]>>
  >();
  /** Numbers that are sold only with an address, or with a regulatory bundle, of their country. */
  readonly requirements = new Map<string, 'address' | 'bundle'>();
  readonly addresses: { sid: string; country: string }[] = [];
  readonly bundles: { sid: string; country: string; status: 'twilio-approved' | 'draft' }[] = [];
  readonly prices = new Map<string, Record<string, string>>();
  speaking: Speaking = { mode: 'at-once', reports: true };
  /** Answers the next requests to call with this error; `unknown` accepts the call and loses the answer. */
  nextCall: { status: number; code: number } | 'unknown' | undefined;
  /** Never answers the next purchase of a number, which it makes, or loses. */
  nextPurchase: 'sold' | 'lost' | undefined;
  /** Milliseconds for which a request to end a call is pending. */
  hangUpMs = 0;
  /** Whether recordings can be requested in part. */
  hasRanges = true;
  #services: readonly string[] = [];
  #requests = 0;
  #server: LoopbackServer | undefined;

  static async start(): Promise<FakeTwilio> {
    const twilio = new FakeTwilio();
    twilio.#server = await startLoopbackServer((request, response) => twilio.#handle(request, response));
    return twilio;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#server?.requests ?? [];
  }

  /** Sets the addresses of the service's processes, which receive the carrier's requests in turn. */
  reach(...services: readonly string[]): void {
    this.#services = services;
  }

  /** Waits for a call to a number. */
  call(to: string, count = 1): Promise<FakeTwilioCall> {
    return eventually(
      () => `call ${count} to ${to}`,
      () => this.calls.filter(({ form }) => form['To'] === to)[count - 1],
    );
  }

  /** Somebody calls a number of the account. Resolves with the service's answer. */
  async receiveCall(from: string, to: string): Promise<FakeTwilioCall> {
    const call = new FakeTwilioCall(this, 'inbound', { From: from, To: to });
    this.calls.push(call);
    call.status = 'ringing';
    const { voiceUrl } = this.numbers.find(({ phoneNumber }) => phoneNumber === to) ?? {};
    if (voiceUrl === undefined) throw new Error(`${to} is not a number of the account.`);
    const { body, status } = await call.request(voiceUrl, { Called: to, Caller: from });
    if (status !== 200) throw new Error(`The service responded with ${status}.`);
    if (!body.includes('<Reject')) call.status = 'in-progress';
    await call.perform(body);
    return call;
  }

  address(url: string): { address: string; headers: Record<string, string> } {
    const { origin, pathname, search } = new URL(url);
    if (origin.replace(/^ws/, 'http') !== this.publicUrl)
      throw new Error(`${url} is not an address of the service.`);
    const service = this.#services[this.#requests++ % this.#services.length] ?? '';
    const target = origin.startsWith('ws') ? service.replace(/^http/, 'ws') : service;
    return { address: target + pathname + search, headers: { 'X-Twilio-Signature': sign(url) } };
  }

  async request(url: string, form: Form): Promise<WebhookAnswer> {
    const body = new URLSearchParams(form);
    // As with a load balancer, a process that is down is tried only once.
    for (let attempts = this.#services.length; ; attempts -= 1) {
      const { address } = this.address(url);
      try {
        const headers = { 'X-Twilio-Signature': sign(url, form) };
        const response = await fetch(address, { method: 'POST', headers, body });
        return { status: response.status, body: await response.text() };
      } catch (error) {
        if (attempts <= 1) throw error;
      }
    }
  }

  /** Somebody answers the call that verifies a caller ID, and enters the code. */
  enterCode(phoneNumber: string, code: string): void {
    if (this.validationCodes.get(phoneNumber) !== code) throw new Error(`${code} is not the code.`);
    this.callerIds.push({ sid: newSid('PN'), phoneNumber });
  }

  addRecording(callSid: string): string {
    const sid = newSid('RE');
    const file = Uint8Array.from({ length: 2000 }, (_, index) => index % 251);
    this.recordings.set(sid, { callSid, file });
    return sid;
  }

  own(phoneNumber: string, voiceUrl = `${publicUrl}/api/carrier/twilio/incoming`): void {
    this.numbers.push({ sid: newSid('PN'), phoneNumber, voiceUrl });
  }

  async close(): Promise<void> {
    for (const { relays, streams } of this.calls)
      for (const { socket } of [...relays, ...streams]) socket.terminate();
    await this.#server?.close();
  }

  async #handle(request: ReceivedRequest, response: ServerResponse): Promise<unknown> {
    try {
      return await this.#respond(request, response);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, code, message } = error;
      response.statusCode = status;
      return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
    }
  }

  #respond({ method, path, headers, body }: ReceivedRequest, response: ServerResponse): unknown {
    const { accountSid, authToken } = credentials;
    const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    if (headers.authorization !== expected) throw new Refused(401, 20003, 'Authenticate');
    const { pathname, searchParams } = new URL(path, this.url);
    const parameters = new URLSearchParams(body);
    const form: Form = Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(' ')]),
    );
    const account = `/2010-04-01/Accounts/${accountSid}`;
    if (pathname.startsWith('/v1/PhoneNumbers/Countries/'))
      return this.#readPrices(pathname.split('/')[4] ?? '');
    if (pathname === '/v2/RegulatoryCompliance/Bundles') {
      const results = this.bundles.filter(
        ({ country, status }) =>
          country === searchParams.get('IsoCountry') && status === searchParams.get('Status'),
      );
      return { results, meta: { key: 'results', page: 0, page_size: 50, next_page_url: null } };
    }
    if (pathname === `${account}.json`) return { sid: accountSid, status: 'active', type: 'Full' };
    const [, resource = '', sid = ''] =
      /^\/(\w+)(?:\/(.+?))?(?:\.json)?$/.exec(pathname.slice(account.length)) ?? [];
    const query = Object.fromEntries(searchParams);
    switch (`${method} ${resource}${sid === '' ? '' : '/'}`) {
      case 'POST Calls':
        return this.#createCall(form, response);
      case 'POST Calls/':
        return this.#updateCall(sid, form);
      case 'GET Calls/':
        return this.#readCall(sid);
      case 'GET AvailablePhoneNumbers/':
        return this.#searchNumbers(sid, query);
      case 'GET IncomingPhoneNumbers':
        return page(
          'incoming_phone_numbers',
          this.numbers
            .filter(({ phoneNumber }) => matches(phoneNumber, query['PhoneNumber']))
            .map(wireNumber),
        );
      case 'POST IncomingPhoneNumbers':
        return this.#buyNumber(form, response);
      case 'POST IncomingPhoneNumbers/':
        return wireNumber(Object.assign(this.#find(this.numbers, sid), { voiceUrl: voiceUrlOf(form) }));
      case 'DELETE IncomingPhoneNumbers/':
        this.#remove(this.numbers, sid, response);
        return undefined;
      case 'GET Addresses':
        return page(
          'addresses',
          this.addresses.filter(({ country }) => country === query['IsoCountry']),
        );
      case 'GET OutgoingCallerIds':
        return page(
          'outgoing_caller_ids',
          this.callerIds
            .filter(({ phoneNumber }) => matches(phoneNumber, query['PhoneNumber']))
            .map(({ sid: id, phoneNumber }) => ({ sid: id, phone_number: phoneNumber })),
        );
      case 'POST OutgoingCallerIds':
        return this.#validateCallerId(form);
      case 'DELETE OutgoingCallerIds/':
        this.#remove(this.callerIds, sid, response);
        return undefined;
      case 'GET Recordings/':
        this.#sendRecording(sid.replace(/\.wav$/, ''), headers.range, response);
        return undefined;
      case 'DELETE Recordings/':
        if (!this.recordings.delete(sid)) throw notFound();
        response.statusCode = 204;
        response.end();
        return undefined;
      default:
        throw notFound();
    }
  }

  #createCall(form: Form, response: ServerResponse): unknown {
    const { nextCall } = this;
    this.nextCall = undefined;
    if (typeof nextCall === 'object')
      throw new Refused(nextCall.status, nextCall.code, `Refused: ${form['To'] ?? ''}`);
    const { To: to, From: from, Twiml: twiml, Url: url } = form;
    if (to === undefined) throw new Refused(400, 21201, 'No To number is specified');
    if (from === undefined) throw new Refused(400, 21213, "'From' phone number is required");
    if (twiml === undefined && url === undefined) throw new Refused(400, 21205, 'Url parameter is required.');
    if (!e164.test(to))
      throw new Refused(400, 21211, `The phone number you are attempting to call, ${to}, is not valid.`);
    if (!e164.test(from)) throw new Refused(400, 21212, `Invalid From Number (caller ID): ${from}`);
    const known = [...this.numbers, ...this.callerIds].map(({ phoneNumber }) => phoneNumber);
    if (!known.includes(from)) {
      throw new Refused(
        400,
        21210,
        `The source phone number provided, ${from}, is not yet verified for your account.`,
      );
    }
    for (const name of ['StatusCallback', 'AsyncAmdStatusCallback', 'RecordingStatusCallback']) {
      const value = form[name];
      if (value !== undefined && !value.startsWith(`${this.publicUrl}/`))
        throw new Refused(400, 21609, `Invalid ${name}: ${value}`);
    }
    const isWithin = (name: string, most: number) =>
      form[name] === undefined ||
      (/^\d+$/.test(form[name]) && Number(form[name]) > 0 && Number(form[name]) <= most);
    if (!isWithin('Timeout', 600)) throw new Refused(400, 21220, 'Invalid Timeout');
    if (!isWithin('TimeLimit', 14_400)) throw new Refused(400, 21220, 'Invalid TimeLimit');
    const events = (form['StatusCallbackEvent'] ?? 'completed').split(' ');
    if (!events.every((event) => callStatusEvents.includes(event)))
      throw new Refused(400, 21626, 'Invalid event');
    if (!['Enable', 'DetectMessageEnd', undefined].includes(form['MachineDetection'])) {
      throw new Refused(400, 21220, 'Invalid MachineDetection');
    }
    if (twiml !== undefined) {
      if (twiml.length > maxTwimlLength) throw new Refused(400, 21220, 'Twiml is too long');
      try {
        readTwiml(twiml);
      } catch (error) {
        throw new Refused(400, 12100, (error as Error).message);
      }
    }
    const call = new FakeTwilioCall(this, 'outbound-api', form);
    this.calls.push(call);
    if (nextCall === 'unknown') {
      response.destroy();
      return undefined;
    }
    response.statusCode = 201;
    return {
      sid: call.sid,
      account_sid: this.accountSid,
      to,
      from,
      status: 'queued',
      direction: 'outbound-api',
    };
  }

  #readCall(path: string): unknown {
    const [sid = '', part] = path.split('/');
    const call = this.calls.find((one) => one.sid === sid);
    if (!call) throw notFound();
    if (part === 'Notifications') {
      return page(
        'notifications',
        call.problems.map((_, index) => ({
          sid: `NO${index}`,
          call_sid: sid,
          error_code: '64105',
          log: '0',
        })),
      );
    }
    return { sid, status: call.status, duration: call.isOver ? String(call.duration) : null };
  }

  async #updateCall(sid: string, form: Form): Promise<unknown> {
    const call = this.calls.find((one) => one.sid === sid);
    if (!call) throw notFound();
    if (call.isOver) throw new Refused(400, 21220, 'Call is not in-progress. Cannot redirect.');
    if (form['TimeLimit'] !== undefined) call.limit(form['TimeLimit']);
    if (form['StatusCallback'] !== undefined) call.statusCallback = form['StatusCallback'];
    if (form['Status'] === 'completed') {
      await pause(this.hangUpMs);
      // The carrier answers before it has ended the call.
      setImmediate(() => {
        void (call.status === 'in-progress' ? call.hangUp() : call.end('canceled'));
      });
    }
    return { sid: call.sid, status: call.status };
  }

  #searchNumbers(path: string, query: Form): unknown {
    const [country = '', kind = ''] = path.split('/');
    const offered = this.offers.get(country)?.[kind as 'Local'];
    if (!offered) throw notFound();
    const pattern = query['Contains'] ?? '';
    if (pattern !== '' && !/^[0-9a-zA-Z*]{2,16}$/.test(pattern))
      throw new Refused(400, 21603, 'Invalid pattern');
    const found = offered
      .filter((number) => number.includes(pattern))
      .slice(0, Number(query['PageSize'] ?? '50'));
    return page(
      'available_phone_numbers',
      found.map((number) => ({
        friendly_name: number,
        phone_number: number,
        iso_country: country,
        region: 'Berlin',
        address_requirements: kind === 'Local' ? 'local' : 'none',
        beta: false,
        capabilities: { voice: true, SMS: kind === 'Mobile', sms: kind === 'Mobile', mms: false },
      })),
    );
  }

  #buyNumber(form: Form, response: ServerResponse): unknown {
    const phoneNumber = form['PhoneNumber'] ?? '';
    const { nextPurchase } = this;
    this.nextPurchase = undefined;
    if (nextPurchase === 'lost') return undefined;
    const isOffered = [...this.offers.values()].some((kinds) =>
      Object.values(kinds).some((numbers) => numbers.includes(phoneNumber)),
    );
    if (!isOffered || this.numbers.some((owned) => owned.phoneNumber === phoneNumber)) {
      throw new Refused(400, 21422, `${phoneNumber} is not available.`);
    }
    const requirement = this.requirements.get(phoneNumber);
    const hasAddress = this.addresses.some(({ sid }) => sid === form['AddressSid']);
    const hasBundle = this.bundles.some(
      ({ sid, status }) => sid === form['BundleSid'] && status === 'twilio-approved',
    );
    if (requirement === 'address' && !hasAddress) throw new Refused(400, 21631, 'Address required');
    if (requirement === 'bundle' && !hasBundle) throw new Refused(400, 21649, 'Bundle required');
    const number = { sid: newSid('PN'), phoneNumber, voiceUrl: voiceUrlOf(form) };
    this.numbers.push(number);
    if (nextPurchase === 'sold') return undefined;
    response.statusCode = 201;
    return wireNumber(number);
  }

  /** Calls the number and asks for the code. */
  #validateCallerId({ PhoneNumber: phoneNumber = '', FriendlyName: name }: Form): unknown {
    if (!e164.test(phoneNumber)) throw new Refused(400, 21211, 'The phone number is not valid.');
    if (this.callerIds.some((known) => known.phoneNumber === phoneNumber))
      throw new Refused(400, 21450, 'Phone number already validated for your account.');
    const code = String(100_000 + this.validationCodes.size);
    this.validationCodes.set(phoneNumber, code);
    return {
      account_sid: this.accountSid,
      call_sid: newSid('CA'),
      friendly_name: name ?? phoneNumber,
      phone_number: phoneNumber,
      validation_code: code,
    };
  }

  #readPrices(country: string): unknown {
    const prices = this.prices.get(country);
    if (!prices) throw notFound();
    return {
      country,
      iso_country: country,
      price_unit: 'USD',
      phone_number_prices: Object.entries(prices).map(([kind, price]) => ({
        number_type: kind,
        base_price: price,
        current_price: price,
      })),
    };
  }

  #sendRecording(sid: string, range: string | undefined, response: ServerResponse): void {
    const recording = this.recordings.get(sid);
    if (!recording) throw notFound();
    const { file } = recording;
    response.setHeader('Content-Type', 'audio/x-wav');
    const bytes = readByteRange(this.hasRanges ? range : undefined, file.length);
    if (bytes === 'unsatisfiable') {
      response.statusCode = 416;
      response.setHeader('Content-Range', `bytes */${file.length}`);
      response.end();
      return;
    }
    const { start, end } = bytes ?? { start: 0, end: file.length };
    if (bytes) {
      response.statusCode = 206;
      response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${file.length}`);
    }
    response.setHeader('Content-Length', end - start);
    response.end(file.subarray(start, end));
  }

  #find<Item extends { sid: string }>(items: readonly Item[], sid: string): Item {
    const found = items.find((item) => item.sid === sid);
    if (!found) throw notFound();
    return found;
  }

  #remove(items: { sid: string }[], sid: string, response: ServerResponse): void {
    items.splice(items.indexOf(this.#find(items, sid)), 1);
    response.statusCode = 204;
    response.end();
  }
}

/** Numbers are found by a part of them, in which `*` matches any digit. */
const matches = (phoneNumber: string, part = '') =>
  new RegExp(part.replaceAll('+', '\\+').replaceAll('*', '\\d')).test(phoneNumber);

const notFound = () => new Refused(404, 20404, 'The requested resource was not found');

const page = (name: string, items: readonly unknown[]) => ({
  [name]: items,
  page: 0,
  page_size: 50,
  first_page_uri: '/',
  next_page_uri: null,
  previous_page_uri: null,
  uri: '/',
});

const wireNumber = ({ sid, phoneNumber, voiceUrl }: OwnedNumber) => ({
  sid,
  phone_number: phoneNumber,
  voice_url: voiceUrl,
  capabilities: { voice: true, sms: false, mms: false },
});

function voiceUrlOf({ VoiceUrl: url = '' }: Form): string {
  if (!/^https:\/\/[^\s]+$/.test(url)) throw new Refused(400, 21502, `Invalid VoiceUrl: ${url}`);
  return url;
}
