import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';
import type { AnsweredBy, CallHandler, CallPlan, CallReport, NextStep } from '../carrier.ts';
import { unsigned } from './signature.ts';
import type { Signature } from './signature.ts';
import { silentAudio } from './silent-audio.ts';
import { emptyTwiml, hangUpTwiml, rejectTwiml, transferTwiml } from './twiml.ts';
import type { CallWebhook, WebhookUrls } from './webhook-urls.ts';

const maxBodyBytes = 64 * 1024;
/** Delays in milliseconds between attempts to handle a report. The carrier waits for 15 seconds. */
const retryMs = [250, 500, 1000, 2000, 4000];

const sid = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`));
const seconds = z.coerce.number().int().min(0).max(1_000_000);

const callStatuses = [
  'queued',
  'initiated',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'failed',
  'no-answer',
  'canceled',
] as const;
const Status = z.object({
  CallSid: sid('CA'),
  CallStatus: z.enum(callStatuses),
  CallDuration: seconds.default(0),
});
const Amd = z.object({ CallSid: sid('CA'), AnsweredBy: z.string().max(100) });
const RecordingStatus = z.object({
  CallSid: sid('CA'),
  RecordingSid: sid('RE'),
  RecordingStatus: z.string().max(100),
  RecordingDuration: seconds.default(0),
});
const RelayAction = z.object({
  CallSid: sid('CA'),
  CallStatus: z.string().max(100),
  SessionStatus: z.string().max(100),
  SessionDuration: seconds.default(0),
  HandoffData: z.string().max(10_000).default(''),
  ErrorCode: z
    .string()
    .regex(/^\d{1,6}$/)
    .optional()
    .catch(undefined),
});
const DialAction = z.object({
  CallSid: sid('CA'),
  CallStatus: z.string().max(100),
  DialCallStatus: z.string().max(100),
});
const TransferStatus = z.object({ CallStatus: z.string().max(100) });
const Incoming = z.object({
  CallSid: sid('CA'),
  From: z.string().max(200).default(''),
  To: z.string().max(200),
});

/** The call of a webhook, from its URL. */
interface CallKey {
  callId: number;
  token: string;
}

type Fields = Readonly<Record<string, string>>;

export interface TwilioWebhookDependencies {
  handler: () => CallHandler;
  signature: Signature;
  urls: WebhookUrls;
  log: Logger;
  /** Returns the instructions that connect a call to this service. */
  connectTwiml: (plan: CallPlan, options?: { isIncoming: boolean }) => string;
}

/**
 * The carrier's webhooks. A request's signature is verified before any of its fields is used. A report must also
 * contain the token of its call.
 */
export function twilioWebhooks(dependencies: TwilioWebhookDependencies): Hono {
  const { handler, signature, urls, log, connectTwiml } = dependencies;
  const routes = new Hono();
  routes.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => c.json({ message: `The body may have at most ${maxBodyBytes} bytes.` }, 413),
    }),
  );

  /** Reads the fields of a request, or undefined if the carrier did not sign it. */
  const readFields = async (c: Context, path: string): Promise<Fields | undefined> => {
    const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
    return signature.isValid(c.req.header('X-Twilio-Signature'), urls.of(path), fields) ? fields : undefined;
  };

  const refuse = (c: Context, webhook: string): Response => {
    log.warn({ webhook }, unsigned);
    return forbidden(c);
  };

  const onCall = (
    webhook: CallWebhook,
    handle: (key: CallKey, fields: Fields) => Promise<string | undefined>,
  ): void => {
    routes.post(`/calls/:callId{[1-9]\\d{0,9}}/:token{[\\w-]{1,200}}/${webhook}`, async (c) => {
      const { callId, token } = c.req.param() as Record<'callId' | 'token', string>;
      const fields = await readFields(c, `/calls/${callId}/${token}/${webhook}`);
      return fields ? answer(c, () => handle({ callId: Number(callId), token }, fields)) : refuse(c, webhook);
    });
  };

  onCall('status', async (key, fields) => {
    const report = readStatus(key, Status.parse(fields));
    if (report) await handler().onReport(report);
    return undefined;
  });

  onCall('amd', async (key, fields) => {
    const { CallSid, AnsweredBy } = Amd.parse(fields);
    const by = readAnsweredBy(AnsweredBy);
    await handler().onReport({ ...key, carrierCallId: CallSid, type: 'identified', by });
    return undefined;
  });

  onCall('recording', async (key, fields) => {
    const {
      CallSid,
      RecordingSid,
      RecordingStatus: status,
      RecordingDuration,
    } = RecordingStatus.parse(fields);
    if (status !== 'completed') return undefined;
    await handler().onReport({
      ...key,
      carrierCallId: CallSid,
      type: 'recorded',
      recordingId: RecordingSid,
      seconds: RecordingDuration,
    });
    return undefined;
  });

  const perform = (key: CallKey, step: NextStep): string => {
    if (step.type === 'transfer') {
      const statusCallback = urls.ofCall(key, 'transfer');
      return transferTwiml(step, { action: urls.ofCall(key, 'dial'), statusCallback });
    }
    return step.type === 'connect' ? connectTwiml(step.plan) : hangUpTwiml();
  };

  onCall('relay', async (key, fields) => {
    const action = RelayAction.parse(fields);
    if (action.SessionStatus === 'failed') {
      // Only the carrier's error code is logged: its text may quote the conversation.
      log.warn({ code: action.ErrorCode, callId: key.callId }, 'the connection of a call was lost');
    }
    if (isOver(action.CallStatus)) {
      const ended = { type: 'ended', seconds: action.SessionDuration } as const;
      await handler().onReport({ ...key, carrierCallId: action.CallSid, ...ended });
      return emptyTwiml();
    }
    const handoff = readHandoff(action.HandoffData);
    if (handoff === 'hang-up') return hangUpTwiml();
    const cause = handoff === 'leave' ? 'left' : 'lost';
    return perform(key, await handler().onDisconnected({ ...key, cause }));
  });

  // The stream has ended, but not the call: the line was left, or the connection was lost.
  onCall('stream', async (key) => perform(key, await handler().onDisconnected({ ...key, cause: 'lost' })));

  // The fields are those of the other phone's call.
  onCall('transfer', async (key, fields) => {
    const { CallStatus } = TransferStatus.parse(fields);
    if (CallStatus === 'in-progress') await handler().onReport({ ...key, type: 'transfer-answered' });
    return undefined;
  });

  onCall('dial', async (key, fields) => {
    const { CallSid, CallStatus, DialCallStatus } = DialAction.parse(fields);
    const wasAnswered = DialCallStatus === 'completed' || DialCallStatus === 'answered';
    const cause = wasAnswered ? 'transferred' : 'unanswered';
    if (isOver(CallStatus) && !wasAnswered) {
      // The status webhook may be missing. If it comes, its longer duration counts.
      await handler().onReport({ ...key, carrierCallId: CallSid, type: 'ended', seconds: 0 });
      return emptyTwiml();
    }
    return perform(key, await handler().onDisconnected({ ...key, cause }));
  });

  routes.post('/incoming', async (c) => {
    const fields = await readFields(c, '/incoming');
    return fields ? answer(c, () => admit(fields)) : refuse(c, 'incoming');
  });

  const admit = async (fields: Fields): Promise<string> => {
    const { CallSid, From, To } = Incoming.parse(fields);
    const call = { carrierCallId: CallSid, from: readCaller(From), to: To };
    const admission = await handler().onIncoming(call);
    return admission.type === 'refuse'
      ? rejectTwiml(admission.reason)
      : connectTwiml(admission.plan, { isIncoming: true });
  };

  // `carrier check` sends a signed request to it through the public address.
  routes.post('/check', async (c) => {
    const fields = await readFields(c, '/check');
    return fields ? c.json({ nonce: fields['nonce'] ?? '' }) : forbidden(c);
  });

  routes.get('/silence.wav', (c) => {
    c.header('Cache-Control', 'public, max-age=31536000, immutable');
    return c.body(silentAudio, 200, { 'Content-Type': 'audio/wav' });
  });
  return routes;
}

const forbidden = (c: Context) => c.json({ message: 'The request is not signed by the carrier.' }, 403);

/** Responds with TwiML, or with 204 to a report. Retries, so that a restart of the database loses no report. */
async function answer(c: Context, handle: () => Promise<string | undefined>): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      const twiml = await handle();
      return twiml === undefined ? c.body(null, 204) : c.body(twiml, 200, { 'Content-Type': 'text/xml' });
    } catch (error) {
      if (error instanceof z.ZodError) return c.json({ message: 'The fields are invalid.' }, 400);
      if (error instanceof Refusal) return c.json({ message: 'There is no such call.' }, 403);
      const delay = retryMs[attempt];
      if (delay === undefined) throw error;
      await pause(delay);
    }
  }
}

const finalStatuses = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];
const isOver = (status: string): boolean => finalStatuses.includes(status);

function readStatus(
  key: CallKey,
  { CallSid, CallStatus, CallDuration }: z.infer<typeof Status>,
): CallReport | undefined {
  const call = { ...key, carrierCallId: CallSid };
  switch (CallStatus) {
    case 'initiated':
    case 'ringing':
      return { ...call, type: CallStatus };
    case 'busy':
    case 'no-answer':
    case 'failed':
      return { ...call, type: 'unreached', reason: CallStatus };
    case 'canceled':
      // The call was canceled while it rang.
      return { ...call, type: 'unreached', reason: 'no-answer' };
    case 'completed':
      return { ...call, type: 'ended', seconds: CallDuration };
    default:
      // The connection itself shows that the call was answered.
      return undefined;
  }
}

function readAnsweredBy(answeredBy: string): AnsweredBy {
  if (answeredBy.startsWith('machine_')) return 'machine';
  return answeredBy === 'human' || answeredBy === 'fax' ? answeredBy : 'unknown';
}

function readHandoff(data: string): unknown {
  try {
    return (JSON.parse(data) as { step?: unknown } | null)?.step;
  } catch {
    return undefined;
  }
}

/** Numbers that the carrier reports for withheld numbers. */
const withheld = new Set(['+266696687', '+86282452253', '+7378742883', '+2562533', '+8656696']);

const readCaller = (from: string): string => (/^\+\d{6,15}$/.test(from) && !withheld.has(from) ? from : '');
