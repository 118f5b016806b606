import type { Worker, WorkerContext } from '../jobs/workers.ts';
import { callEnded } from './call-ended.ts';
import { conversationEnded } from './conversation-ended.ts';

/** Handle the ends of chats and calls. */
export function endingWorkers(context: WorkerContext): Worker[] {
  const { config } = context;
  const parts = { ...context, timeoutMs: config.reply.timeoutMs, retryMs: config.webhooks.retryMs };
  return [
    { queue: 'conversation-ended', handle: (...job) => conversationEnded(parts, ...job) },
    { queue: 'call-ended', handle: (...job) => callEnded(parts, ...job) },
  ];
}
