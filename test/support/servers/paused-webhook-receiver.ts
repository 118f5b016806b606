import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** A receiver of webhooks that delays its responses until `answer` is called. */
export interface PausedWebhookReceiver {
  readonly server: LoopbackServer;
  /** Number of deliveries that wait for a response. */
  waiting(): number;
  /** Number of deliveries whose sender disconnected before the response. */
  cutOff(): number;
  /** Responds to the waiting deliveries, and from now on to each one immediately. */
  answer(): void;
}

/** Starts a paused webhook receiver on a free port. */
export async function startPausedWebhookReceiver(): Promise<PausedWebhookReceiver> {
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  let cutOff = 0;
  const server = await startLoopbackServer(async (_, response) => {
    waiting += 1;
    const { socket } = response;
    const finish = () => {
      waiting -= 1;
      if (!response.writableEnded) cutOff += 1;
      // The connection may be reused for another delivery.
      socket?.off('end', finish);
      response.off('close', finish);
    };
    // When the sender dies, its socket ends before the response closes.
    socket?.on('end', finish);
    response.on('close', finish);
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
