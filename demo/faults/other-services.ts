import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, FaultRequest } from './fault.ts';
import { answerLongHistory } from './long-history.ts';

/** Calls a function before it answers, and streams the call. */
function callFunction(request: FaultRequest): Response | undefined {
  const { context, conversation, conversations, message, streaming } = request;
  if (conversation === undefined || message === undefined) return undefined;
  const call = { name: 'find_order', arguments: { order_number: /\d+/.exec(message)?.[0] ?? '1000' } };
  const made = { ...call, result: { status: 'on its way', arrives: 'tomorrow' } };
  const text = 'Your order is on its way. It arrives tomorrow.';
  const done = { status: true, message: text, function_calls: [made] };
  conversations.add(conversation, message, text);
  if (!streaming) return context.json(done);
  const events = Object.entries({ function_call: [call, made], delta: [{ text }], done: [done] }).flatMap(
    ([event, all]) => all.map((data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
  );
  return context.body(events.join(''), 200, { 'Content-Type': 'text/event-stream' });
}

/** Milliseconds between two words: time enough to disturb the chat. */
const wordPause = 60;

const wordyAnswer = `The **Kammweg Mid** comes in three widths:

- narrow, for slim feet,
- normal, which fits most people,
- wide, with more room at the toes.

Try them on in the afternoon, when feet are a little larger than in the morning, and wear the socks that you will hike
in. The [size guide](https://nordkamm.example/sizes) says more. That is all there is to say.`;

/** Streams an answer word by word. The history has all of it, even if the client disconnects. */
function answerWordByWord(request: FaultRequest): Response | undefined {
  const { context, conversation, conversations, message, streaming, stopped } = request;
  if (conversation === undefined || message === undefined || !streaming) return undefined;
  conversations.write(conversation, { role: 'user', content: message });
  let isRead = true;
  const encoder = new TextEncoder();
  const line = (event: string, data: object) =>
    encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const speak = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const text of wordyAnswer.split(/(?<= )/)) {
      if (stopped.aborted) return;
      if (isRead) controller.enqueue(line('delta', { text }));
      await wait(wordPause);
    }
    conversations.write(conversation, { role: 'assistant', content: wordyAnswer });
    if (!isRead) return;
    controller.enqueue(line('done', { status: true, message: wordyAnswer, function_calls: [] }));
    controller.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      void speak(controller);
    },
    cancel() {
      isRead = false;
    },
  });
  return context.body(body, 200, { 'Content-Type': 'text/event-stream' });
}

/** Answers with an image of this origin and one of another, which becomes a link if only the first is allowed. */
function showImages({ context, conversation, conversations, message }: FaultRequest): Response | undefined {
  if (conversation === undefined || message === undefined) return undefined;
  const { origin } = new URL(context.req.url);
  const text =
    `You find us below the mountains:\n\n![The shop, with two peaks and the sun behind it](${origin}/art/shop.svg)\n\n` +
    'And this comes from elsewhere: ![a photograph of the shop](https://elsewhere.example/shop.jpg)';
  conversations.add(conversation, message, text);
  return context.json({ status: true, message: text, function_calls: [] });
}

/** Services without faults that differ from ours. */
export const otherServices = {
  /** Without streaming, idempotency keys and widget settings. */
  'json-only': {
    at: ['settings'],
    answer: ({ context }) => context.json({ message: 'Not Found' }, 404),
  },
  /** With a tool. */
  'function-calls': { at: ['send'], answer: callFunction },
  /** With images in answers. */
  images: { at: ['send'], answer: showImages },
  /** With a history of weeks. */
  'long-history': { at: ['open', 'read'], answer: answerLongHistory },
  /** With slow answers. */
  'word-by-word': { at: ['send'], answer: answerWordByWord },
} as const satisfies Record<string, Fault>;
