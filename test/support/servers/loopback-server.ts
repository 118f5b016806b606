import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A request as a server got it. */
export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real server that stands for somebody else's. */
export interface LoopbackServer {
  /** Its origin, and what `ALLOW_PRIVATE_ADDRESSES` has to name for a service to reach it. */
  readonly url: string;
  readonly address: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Answers a request: with a status and JSON, or by itself. */
export type LoopbackHandler = (request: ReceivedRequest, response: ServerResponse) => unknown;

/** Starts a server on a free port; what the handler returns is the body, as JSON, unless it has answered. */
export async function startLoopbackServer(
  handle: LoopbackHandler,
  host = '127.0.0.1',
): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers, body: await readText(incoming) };
    requests.push(request);
    const body = await handle(request, response);
    if (body === undefined) return;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(body));
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    address,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
