import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { RemoteInfo, Socket } from 'node:dgram';

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

/**
 * Filters the datagrams of a socket before they reach its listeners, which werift adds.
 *
 * @param filter returns the datagram or a part of it; undefined to drop it
 */
export function filterDatagrams(
  socket: Socket,
  filter: (datagram: Buffer, sender: RemoteInfo) => Buffer | undefined,
): void {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event !== 'message') return emit(event, ...values);
    const [datagram, sender] = values as [Buffer, RemoteInfo];
    const accepted = filter(datagram, sender);
    return accepted !== undefined && emit(event, accepted, sender);
  };
}
