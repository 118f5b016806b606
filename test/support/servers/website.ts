import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../service/service.ts';

/** A page: its HTML, or its response. */
export type SitePage =
  | string
  | {
      status?: number;
      type?: string;
      body?: string | Buffer;
      location?: string;
      /** Its `X-Robots-Tag`, in one line or several. */
      robots?: string | string[];
    };

/** A website on loopback. */
export interface Website {
  origin: string;
  /** Its host and port, for `ALLOW_PRIVATE_ADDRESSES`. */
  host: string;
  /** Its pages by path. */
  pages: Map<string, SitePage>;
  /** The paths of the requests so far. */
  asked: string[];
  /** When each path was last requested, as `performance.now()`. */
  askedAt: Map<string, number>;
  /** The response of `/slow` waits for this promise. */
  gate: Promise<unknown> | undefined;
}

/** Starts a website without pages; it is stopped after the tests. */
export async function startWebsite(): Promise<Website> {
  const site: Website = {
    origin: '',
    host: '',
    pages: new Map(),
    asked: [],
    askedAt: new Map(),
    gate: undefined,
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    site.asked.push(path);
    site.askedAt.set(path, performance.now());
    const page = site.pages.get(path);
    const answer = typeof page === 'string' ? { body: page } : page;
    const {
      status = answer ? 200 : 404,
      type = 'text/html; charset=utf-8',
      body = '',
      location,
      robots,
    } = answer ?? {};
    void Promise.resolve(path === '/slow' ? site.gate : undefined).then(() => {
      response.writeHead(status, {
        'Content-Type': type,
        ...(location !== undefined && { Location: location }),
        ...(robots !== undefined && { 'X-Robots-Tag': robots }),
      });
      response.end(body);
    });
  });
  // A busy client could otherwise send a request just as the server closes the unused connection.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  site.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.origin = `http://${site.host}`;
  return site;
}
