import { errorTexts } from '../../src/contract/error-texts.ts';
import type { Fault, FaultRequest } from './fault.ts';

/** Seconds that the rate limit of `too-many-requests` asks to wait. */
export const retryAfterSeconds = 5;

/** Maximum length of a message for the strict service of `message-refused`. */
const strictMaximum = 20;

const refuse = ({ context }: FaultRequest, status: 400 | 403 | 404 | 422, error: string): Response =>
  context.json({ status: false, error }, status);

/** Refuses once, and until the given time has passed; then it answers, as a real limit does. */
function tooManyRequests({ context, conversation }: FaultRequest): Response | undefined {
  if (conversation === undefined) return undefined;
  const now = Date.now();
  if (conversation.retryAt !== undefined && now >= conversation.retryAt) {
    delete conversation.retryAt;
    return undefined;
  }
  conversation.retryAt ??= now + retryAfterSeconds * 1000;
  const wait = Math.ceil((conversation.retryAt - now) / 1000);
  const body = { message: errorTexts['too-many-requests'], retry_after: wait };
  return context.json(body, 429, { 'Retry-After': String(wait) });
}

/** A failing engine has often started its stream, so the error is an event. */
function engineFailed(request: FaultRequest): Response {
  const error = `${errorTexts['engine-failed']} the language model is not available.`;
  if (!request.streaming) return refuse(request, 400, error);
  const data = JSON.stringify({ status: false, error });
  return request.context.body(`event: error\ndata: ${data}\n\n`, 200, {
    'Content-Type': 'text/event-stream',
  });
}

/** Services that refuse, with the interface's error texts. */
export const refusals = {
  'not-found': {
    at: ['settings', 'open'],
    answer: (request) => refuse(request, 404, errorTexts['assistant-not-found']),
  },
  'insufficient-balance': {
    at: ['open', 'send'],
    answer: (request) => refuse(request, 400, errorTexts['insufficient-balance']),
  },
  'balance-spent': {
    at: ['send'],
    answer: (request) => refuse(request, 400, errorTexts['insufficient-balance']),
  },
  'limit-reached': {
    at: ['send'],
    answer: (request) => refuse(request, 400, errorTexts['limit-reached']),
  },
  'origin-not-allowed': {
    at: ['open'],
    answer: (request) => refuse(request, 403, `${errorTexts['origin-not-allowed']} https://shop.example`),
  },
  'conversation-not-found': {
    at: ['read', 'send'],
    answer: (request) => refuse(request, 404, errorTexts['conversation-not-found']),
  },
  'message-refused': {
    at: ['send'],
    answer: (request) =>
      (request.message?.length ?? 0) > strictMaximum
        ? refuse(request, 422, `message may have at most ${strictMaximum} characters`)
        : undefined,
  },
  'too-many-requests': { at: ['send'], answer: tooManyRequests },
  'engine-failed': { at: ['send'], answer: engineFailed },
} as const satisfies Record<string, Fault>;
