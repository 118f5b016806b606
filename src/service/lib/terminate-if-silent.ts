import { WebSocket } from 'ws';

/**
 * Pings a connection, and terminates it if nothing arrives until the next ping: a lost connection may not be reported.
 *
 * @param milliseconds between two pings.
 */
export function terminateIfSilent(socket: WebSocket, milliseconds: number): void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (socket.readyState === WebSocket.CONNECTING) return;
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, milliseconds);
  timer.unref();
  const markAlive = () => {
    isAlive = true;
  };
  socket.on('pong', markAlive);
  // A pong may be queued behind messages.
  socket.on('message', markAlive);
  socket.on('close', () => {
    clearInterval(timer);
  });
}
