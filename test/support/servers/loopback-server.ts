import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A request as a server received it. */
export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real server in place of a third party's. */
export interface LoopbackServer {
  /** Its origin. */
  readonly url: string;
  /** Its host and port, for `ALLOW_PRIVATE_ADDRESSES`. */
  readonly address: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Handles a request. Returns the response body, or undefined if it writes the response itself. */
export type LoopbackHandler = (request: ReceivedRequest, response: ServerResponse) => unknown;

/** Starts a server on a free port. It sends the value that the handler returns as JSON. */
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
  // A busy client could otherwise send a request just as the server closes the unused connection.
  server.keepAliveTimeout = 600_000;
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
