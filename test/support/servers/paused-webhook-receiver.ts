import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** A receiver of webhooks that keeps its senders waiting until it is told to answer. */
export interface PausedWebhookReceiver {
  readonly server: LoopbackServer;
  /** Deliveries that have come and wait for their answer. */
  waiting(): number;
  /** Deliveries whose sender went away before it had its answer. */
  cutOff(): number;
  /** Answers those that wait, and from now on every one at once. */
  answer(): void;
}

/** Starts such a server on a free port. */
export async function startPausedWebhookReceiver(): Promise<PausedWebhookReceiver> {
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  let cutOff = 0;
  const server = await startLoopbackServer(async (_, response) => {
    waiting += 1;
    const { socket } = response;
    const over = () => {
      waiting -= 1;
      if (!response.writableEnded) cutOff += 1;
      // A connection serves several deliveries.
      socket?.off('end', over);
      response.off('close', over);
    };
    // A sender that dies says so before the response notices.
    socket?.on('end', over);
    response.on('close', over);
    await gate.promise;
    return {};
  });
  return {
    server,
    waiting: () => waiting,
    cutOff: () => cutOff,
    answer() {
      gate.resolve(undefined);
    },
  };
}
