import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy for a PostgreSQL server that can stop forwarding, as if the server's machine had lost power. */
export interface SilentProxy {
  /** The connection string through the proxy. */
  url: string;
  /** Stops forwarding on all open connections without closing them. New connections work if `acceptsNew`. */
  fallSilent(acceptsNew: boolean): void;
  /** Forwards requests on all open connections, but not their answers. */
  loseAnswers(): void;
  /** Closes all connections, and new ones at once, as while a server restarts. */
  refuse(): void;
  /** Forwards on new connections again. */
  recover(): void;
  /** Closes all connections and forwards on new ones, as a server does after a restart of its machine. */
  restart(): void;
  /** Closes all connections and forwards new ones to another server, as an address does after a failover. */
  leadTo(databaseUrl: string): void;
  close(): Promise<void>;
}

export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  let isSilent = false;
  let isRefusing = false;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    track(client);
    if (isRefusing) client.destroy();
    if (isSilent || isRefusing) return;
    const socketFolder = target.searchParams.get('host');
    const upstream = track(
      socketFolder === null
        ? connect(Number(target.port), target.hostname)
        : connect(`${socketFolder}/.s.PGSQL.${target.port || '5432'}`),
    );
    upstreams.add(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      upstreams.delete(upstream);
      client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(databaseUrl);
  proxied.searchParams.delete('host');
  proxied.hostname = '127.0.0.1';
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    fallSilent(acceptsNew) {
      isSilent = !acceptsNew;
      for (const socket of sockets) socket.unpipe().pause();
    },
    loseAnswers() {
      for (const upstream of upstreams) upstream.unpipe().pause();
    },
    refuse() {
      isRefusing = true;
      for (const socket of sockets) socket.destroy();
    },
    recover() {
      isSilent = false;
    },
    restart() {
      isSilent = isRefusing = false;
      for (const socket of sockets) socket.destroy();
    },
    leadTo(other) {
      target = new URL(other);
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
