import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards requests to several services in turn. */
export interface LoadBalancer {
  readonly url: string;
  /** The requests that were answered with 500. */
  readonly failed: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts a load balancer on a free port. It has no health checks and no retries: a request to a dead service returns 503,
 * and an interrupted response is interrupted for the client too.
 */
export async function startLoadBalancer(services: readonly string[]): Promise<LoadBalancer> {
  let forwarded = 0;
  const failed: string[] = [];
  const server = createServer((incoming, response) => {
    const origin = services[forwarded++ % services.length] ?? '';
    forward(incoming, response, origin);
    response.on('close', () => {
      if (response.statusCode === 500) failed.push(`${incoming.method} ${incoming.url}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failed,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse, origin: string): void {
  const { method, headers, url = '' } = incoming;
  const outgoing = send(origin + url, { method: method ?? 'GET', headers, agent: false });
  const fail = () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'Content-Type': 'application/json' }).end('{"message":"No service."}');
  };
  outgoing.on('error', fail);
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Without this, the headers of a stream are sent only with its first event.
    response.flushHeaders();
    answer.on('error', fail).pipe(response);
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
