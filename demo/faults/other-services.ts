import type { Fault, FaultRequest } from './fault.ts';

/** Looks something up before it answers, and tells of it as it goes. */
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

/** Services that are not at fault, only different from ours. */
export const otherServices = {
  /** Knows neither streaming nor idempotency keys nor widget settings. */
  'json-only': {
    at: ['settings'],
    answer: ({ context }) => context.json({ message: 'Not Found' }, 404),
  },
  /** Its assistant has a tool. */
  'function-calls': { at: ['send'], answer: callFunction },
} as const satisfies Record<string, Fault>;
