import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { setTimeout as wait } from 'node:timers/promises';
import { everyStep, type Fault, type FaultContext, type FaultRequest, type Step } from './fault.ts';

/** Milliseconds between two words of a stream: slow enough to be visible. */
const wordPause = 60;

const interruptedAnswer =
  'Our rain jackets keep you dry for a day of steady rain. Before the next long tour, wash yours and then';

/** Streams the beginning of an answer, then closes the connection. */
function hangUpAfter(context: FaultContext, type: string, chunks: readonly string[]): Response {
  const { outgoing } = context.env;
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = left.shift();
        if (chunk !== undefined) controller.enqueue(chunk);
        await wait(wordPause);
        // Not `controller.close()`: that would end the answer properly.
        if (left.length === 0) outgoing.socket?.destroySoon();
      },
    },
    { highWaterMark: 0 },
  );
  return context.body(body, 200, { 'Content-Type': type });
}

function cutStream({ context, streaming }: FaultRequest): Response {
  if (!streaming) return hangUpAfter(context, 'application/json', ['{"status":true,"message":"Our rain']);
  const deltas = interruptedAnswer
    .split(/(?<= )/)
    .map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`);
  return hangUpAfter(context, 'text/event-stream', deltas);
}

/** As `cut-stream`, but the service completes the answer, and the history has it. */
function cutLine(request: FaultRequest): Response {
  const { conversation, conversations, message } = request;
  if (conversation !== undefined && message !== undefined)
    conversations.add(conversation, message, `${interruptedAnswer} proof it again while it is still damp.`);
  return cutStream(request);
}

/** Sends nothing until the client disconnects or the server stops. */
function neverAnswer({ context, stopped }: Pick<FaultRequest, 'context' | 'stopped'>): Promise<Response> {
  const end = AbortSignal.any([context.req.raw.signal, stopped]);
  return new Promise((resolve) => {
    const answer = () => {
      resolve(context.body(null, 503));
    };
    if (end.aborted) answer();
    else end.addEventListener('abort', answer, { once: true });
  });
}

/**
 * Starts a valid answer that never ends. Sends as fast as the client reads, up to 30 MB a second, since WebKit buffers
 * data before the page can cancel; nothing more after 30 MB, since a busy browser would still read on after the page has
 * canceled, and answer nothing else meanwhile.
 */
function endlessBody({ context, stopped }: FaultRequest): Response {
  const encoder = new TextEncoder();
  // A browser reads 16 MB in a few dozen chunks, also while it is busy.
  const more = encoder.encode('and so on '.repeat(52_430));
  let chunks = 60;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(encoder.encode('{"status":true,"message":"'));
    },
    pull: async (controller) => {
      await wait(17);
      if (!stopped.aborted && chunks-- > 0) {
        controller.enqueue(more);
        return;
      }
      await neverAnswer({ context, stopped });
      if (stopped.aborted) controller.close();
    },
  });
  return context.body(body, 200, { 'Content-Type': 'application/json' });
}

const wrongTypes: Record<Step, object> = {
  settings: { status: true, data: { name: 7, language: ['en'], widget_settings: [true] } },
  open: { status: true, conversation_id: 42, history: 'none' },
  read: { status: true, history: { role: 'assistant' }, variables: 3 },
  send: { status: true, message: { text: 'Hello' }, function_calls: 'none' },
};

const htmlPage = '<!doctype html><html lang="en"><title>Welcome</title><h1>This is not the API</h1></html>';

/** Services with broken answers or connections. */
export const breakages = {
  timeout: { at: everyStep, answer: neverAnswer },
  unreachable: {
    at: everyStep,
    answer: ({ context }) => {
      context.env.outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    },
  },
  html: { at: everyStep, answer: ({ context }) => context.html(htmlPage) },
  truncated: {
    at: everyStep,
    answer: ({ context }) =>
      hangUpAfter(context, 'application/json', ['{"status":true,"conversation_id":"6b1']),
  },
  'wrong-types': { at: everyStep, answer: ({ context, step }) => context.json(wrongTypes[step]) },
  empty: { at: everyStep, answer: ({ context }) => context.body(null, 200) },
  'server-error': {
    at: everyStep,
    answer: ({ context }) => context.json({ message: 'Server Error' }, 500),
  },
  'too-large': { at: everyStep, answer: endlessBody },
  'cut-stream': { at: ['send'], answer: cutStream },
  'cut-line': { at: ['send'], answer: cutLine },
} as const satisfies Record<string, Fault>;
