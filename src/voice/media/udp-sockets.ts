import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:dgram';

/** Called for each UDP socket that {@link withUdpSockets} detects. */
type OnSocket = (socket: Socket) => void;

const listeners = new AsyncLocalStorage<OnSocket>();
subscribe('udp.socket', (message) => {
  listeners.getStore()?.((message as { socket: Socket }).socket);
});

/**
 * Runs a function and reports each UDP socket that it opens. werift does not handle socket errors, so an error would
 * end the process. It does not expose datagrams either, which must be verified.
 */
export function withUdpSockets<Result>(onSocket: OnSocket, run: () => Result): Result {
  return listeners.run(onSocket, run);
}
