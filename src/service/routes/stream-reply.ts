import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Reply } from '../conversation/reply.ts';
import { visibleFunctionCall } from '../conversation/visible-function-call.ts';
import { answerBody } from './answer-body.ts';
import { eventStream } from './event-stream.ts';

/** Whether the client prefers an event stream to JSON. */
export function acceptsEventStream(c: Context): boolean {
  const supports = ['application/json', 'text/event-stream'];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/event-stream';
}

/**
 * Streams the events of a reply (our addition: "Streaming"): `delta`, `function_call`, and finally `done` with the JSON
 * response or `error` with the JSON error. The reply continues if the client disconnects.
 */
export function streamReply(c: Context, reply: Reply, keepAliveMs: number): Response {
  return eventStream(c, keepAliveMs, async (send) => {
    for await (const { type, ...data } of reply.events()) {
      if (!(await send({ event: type, data: 'name' in data ? visibleFunctionCall(data) : data }))) return;
    }
    try {
      await send({ event: 'done', data: answerBody(await reply.answer) });
    } catch (error) {
      if (!(error instanceof ConversationError)) throw error;
      await send({ event: 'error', data: error.toBody() });
    }
  });
}
