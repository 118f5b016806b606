import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { CarrierCheck } from '../carrier-check.ts';
import type { CarrierCheckStep } from '../carrier-check.ts';
import { checkToken } from './check-call.ts';
import { findCallerIds, findOwnedNumbers } from './find-numbers.ts';
import { Signature } from './signature.ts';
import { createTwilioClient, translateError } from './twilio-client.ts';
import type { TwilioConfig } from './twilio-config.ts';
import { testCallTwiml } from './twiml.ts';
import { WebhookUrls } from './webhook-urls.ts';

/** Times in milliseconds. */
export interface CheckTimes {
  /** Time limit of each request to the public address. */
  requestMs: number;
  /** Maximum duration of the test call. */
  testCallMs: number;
  /** Interval between reads of the state of the test call. */
  pollMs: number;
}

const defaultTimes: CheckTimes = { requestMs: 15_000, testCallMs: 120_000, pollMs: 1000 };

/** A step has failed. The message says what to do. */
class StepError extends Error {
  override readonly name = 'StepError';
}

/**
 * Checks step by step whether calls with Twilio can work. Steps whose precondition failed are skipped.
 *
 * @param options.testNumber a phone of the operator to call; if undefined, no call is made.
 * @param options.bought the numbers that were bought through the service.
 */
export async function checkTwilio(
  config: TwilioConfig,
  { testNumber, bought = [] }: { testNumber?: string | undefined; bought?: readonly string[] },
  times = defaultTimes,
): Promise<CarrierCheckStep[]> {
  const client = createTwilioClient(config);
  const urls = new WebhookUrls(config.publicUrl);
  const signature = new Signature(config.authToken);
  const check = new CarrierCheck();

  const hasAccount = await check.run('credentials', async () => {
    const { status, type } = await ask('the account', () =>
      client.api.v2010.accounts(config.accountSid).fetch(),
    );
    if (status !== 'active')
      throw new StepError(`The account is ${status}. Activate it in the Twilio Console.`);
    return type === 'Trial' ? 'a trial account: it can only call numbers that you have verified' : 'accepted';
  });
  if (hasAccount) await check.run('number', () => checkNumber(client, config.phoneNumber, urls));
  if (hasAccount && bought.length > 0)
    await check.run('bought numbers', () => checkBought(client, bought, urls));
  const isPublic = await check.run('public address', () => checkAddress(urls, times));
  const isSigned = isPublic && (await check.run('signature', () => checkSignature(urls, signature, times)));
  const isConnected =
    isSigned && (await check.run('WebSocket', () => checkWebSocket(urls, signature, times)));
  if (testNumber !== undefined && hasAccount && isConnected) {
    await check.run('test call', () => makeTestCall(client, config, urls, testNumber, times));
  }
  return check.steps;
}

type Client = ReturnType<typeof createTwilioClient>;

async function ask<Result>(action: string, send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    throw translateError(error, `the request for ${action}`);
  }
}

async function checkNumber(
  client: Client,
  phoneNumber: string | undefined,
  urls: WebhookUrls,
): Promise<string> {
  if (phoneNumber === undefined) {
    return 'TWILIO_PHONE_NUMBER is not set, so only assistants with their own number can make calls';
  }
  const bought = await ask('the number', () => findOwnedNumbers(client, phoneNumber));
  const [number] = bought;
  if (number?.voiceUrl === urls.incoming)
    return `${phoneNumber} is a number of the account, and calls to it reach this service`;
  if (number) {
    return `${phoneNumber} is a number of the account, but calls to it do not reach this service. To receive them, set "A call comes in" of the number in the Twilio Console to ${urls.incoming}, with HTTP POST`;
  }
  const verified = await ask('the number', () => findCallerIds(client, phoneNumber));
  if (verified.length > 0) return `${phoneNumber} is a verified caller ID`;
  throw new StepError(
    `${phoneNumber} is neither a number of the account nor a verified caller ID. Buy or verify it in the Twilio Console, or correct TWILIO_PHONE_NUMBER.`,
  );
}

async function checkBought(client: Client, numbers: readonly string[], urls: WebhookUrls): Promise<string> {
  const elsewhere: string[] = [];
  for (const phoneNumber of numbers) {
    const owned = await ask('the bought numbers', () => findOwnedNumbers(client, phoneNumber));
    if (!owned.some(({ voiceUrl }) => voiceUrl === urls.incoming)) elsewhere.push(phoneNumber);
  }
  if (elsewhere.length === 0) return 'calls to them reach this service';
  throw new StepError(
    `Calls to ${elsewhere.join(', ')} do not reach this service. Run \`numbers point\`, as after every change of PUBLIC_URL`,
  );
}

async function send(url: string, { requestMs }: CheckTimes, options: RequestInit = {}): Promise<Response> {
  const late = AbortSignal.timeout(requestMs);
  try {
    return await fetch(url, { ...options, redirect: 'manual', signal: late });
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    const reason = late.aborted ? `no answer within ${requestMs / 1000} seconds` : code;
    throw new StepError(
      `${new URL(url).origin} cannot be reached (${reason}). Check PUBLIC_URL, its DNS entry, the certificate, and the proxy.`,
      { cause: error },
    );
  }
}

async function checkAddress(urls: WebhookUrls, times: CheckTimes): Promise<string> {
  const response = await send(urls.silence, times);
  const type = response.headers.get('Content-Type') ?? '';
  if (response.status === 200 && type.startsWith('audio/'))
    return `${new URL(urls.silence).origin} is this service`;
  throw new StepError(
    `${urls.silence} responds with ${response.status}, so another program answers there, or a service without CARRIER=twilio. Check PUBLIC_URL, and restart the service after a change.`,
  );
}

async function checkSignature(urls: WebhookUrls, signature: Signature, times: CheckTimes): Promise<string> {
  const url = urls.of('/check');
  const nonce = randomUUID();
  const post = (headers: Record<string, string>) =>
    send(url, times, { method: 'POST', headers, body: new URLSearchParams({ nonce }) });
  const forged = await post({});
  if (forged.status !== 403) {
    throw new StepError(
      `A request without a signature gets the status ${forged.status} instead of 403. Check which program answers at PUBLIC_URL, and whether its proxy forwards POST requests.`,
    );
  }
  const response = await post({ 'X-Twilio-Signature': signature.create(url, { nonce }) });
  if (response.status === 200 && (await response.text()).includes(nonce))
    return 'accepted, and others are refused';
  throw new StepError(
    'The running service does not accept the signature. Its TWILIO_AUTH_TOKEN or PUBLIC_URL differs from that of this command, or the proxy changes the path. Restart the service after a change.',
  );
}

async function checkWebSocket(
  urls: WebhookUrls,
  signature: Signature,
  { requestMs }: CheckTimes,
): Promise<string> {
  const socket = new WebSocket(urls.relay, {
    headers: { 'X-Twilio-Signature': signature.create(urls.relay) },
    handshakeTimeout: requestMs,
  });
  const outcome = Promise.withResolvers<string>();
  const fail = (problem: string) => {
    outcome.reject(
      new StepError(
        `${urls.relay} ${problem}. Configure the proxy to forward WebSockets (headers Upgrade and Connection), as in docs/self-hosting.md.`,
      ),
    );
  };
  // Without a call's token, the service must close the connection.
  socket.on('open', () => {
    socket.send('{"type":"setup"}');
  });
  socket.on('unexpected-response', (_, { statusCode }) => {
    fail(`responds with ${statusCode} instead of a WebSocket`);
  });
  socket.on('error', ({ message }) => {
    fail(`cannot be connected (${message})`);
  });
  socket.on('close', (code) => {
    if (code === 1007) outcome.resolve('connected, and closed without a call');
    else fail(`was closed with the code ${code}`);
  });
  const timer = setTimeout(fail, requestMs * 2, 'does not respond');
  try {
    return await outcome.promise;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

async function makeTestCall(
  client: Client,
  config: TwilioConfig,
  urls: WebhookUrls,
  to: string,
  times: CheckTimes,
): Promise<string> {
  const from = config.phoneNumber;
  if (from === undefined)
    throw new StepError('Set TWILIO_PHONE_NUMBER: the test call needs one of your numbers.');
  const twiml = testCallTwiml(urls, checkToken(config.authToken));
  const { sid } = await ask('the test call', () =>
    client.calls.create({ from, to, twiml, timeout: 60, timeLimit: 60 }),
  );
  const deadline = performance.now() + times.testCallMs;
  for (;;) {
    const { status, duration } = await ask('the test call', () => client.calls(sid).fetch());
    if (status === 'completed') {
      const [problem] = await ask('the test call', () => client.calls(sid).notifications.list({ limit: 1 }));
      if (!problem) return `answered, and ended after ${duration} seconds. You should have heard a sentence`;
      throw new StepError(
        `Twilio reports the error ${problem.errorCode}. The Twilio Console explains it: Monitor, Logs, Errors. Have you accepted the addendum for AI features there (Voice, Settings, General)?`,
      );
    }
    if (status === 'busy' || status === 'no-answer')
      throw new StepError(`The phone is ${status}. Try again.`);
    if (status === 'failed' || status === 'canceled') {
      throw new StepError(`The call is ${status}. The Twilio Console has the reason: Monitor, Logs, Calls.`);
    }
    if (performance.now() > deadline) throw new StepError(`The call is still ${status}. Try again later.`);
    await pause(times.pollMs);
  }
}
