import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to several services, one after the other. */
export interface LoadBalancer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a balancer on a free port. It neither looks after the services nor tries again: a request to one that is dead
 * is answered with 503, and an answer that breaks off breaks off for the client, too.
 */
export async function startLoadBalancer(services: readonly string[]): Promise<LoadBalancer> {
  let passed = 0;
  const server = createServer((incoming, response) => {
    const origin = services[passed++ % services.length] ?? '';
    passOn(incoming, response, origin);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function passOn(incoming: IncomingMessage, response: ServerResponse, origin: string): void {
  const { method, headers, url = '' } = incoming;
  const outgoing = send(origin + url, { method: method ?? 'GET', headers, agent: false });
  const breakOff = () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'Content-Type': 'application/json' }).end('{"message":"No service."}');
  };
  outgoing.on('error', breakOff);
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Or the first event would wait for the second one.
    response.flushHeaders();
    answer.on('error', breakOff).pipe(response);
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
