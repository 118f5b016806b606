import { Webhook } from 'standardwebhooks';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer, ReceivedRequest } from './loopback-server.ts';
import { until } from '../until.ts';

/** How an address answers its next deliveries, one after the other; the last one stays. */
export type Answers = (number | 'hang' | 'cut')[];

/** A server that takes webhooks. */
export interface WebhookReceiver {
  readonly server: LoopbackServer;
  /** A new address that answers so; 200 by default. */
  address(...answers: Answers): string;
  /** Answers so from now on. */
  answer(url: string, ...answers: Answers): void;
  /** What came to an address, once so many deliveries have. */
  received(url: string, count: number): Promise<ReceivedRequest[]>;
  /** What came to an address until now. */
  requests(url: string): ReceivedRequest[];
}

/** Starts such a server on a free port. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const answers = new Map<string, Answers>();
  const server = await startLoopbackServer(({ path }, response) => {
    const planned = answers.get(path) ?? [];
    const answer = (planned.length > 1 ? planned.shift() : planned[0]) ?? 200;
    if (answer === 'hang') return undefined;
    if (answer === 'cut') {
      response.destroy();
      return undefined;
    }
    response.statusCode = answer;
    if (answer === 302) response.setHeader('Location', '/elsewhere');
    return { answer };
  });
  const requests = (url: string) => {
    const { pathname } = new URL(url);
    return server.requests.filter(({ path }) => path === pathname);
  };
  return {
    server,
    address(...given) {
      const path = `/hooks/${answers.size + 1}`;
      answers.set(path, given);
      return server.url + path;
    },
    answer(url, ...given) {
      answers.set(new URL(url).pathname, given);
    },
    requests,
    async received(url, count) {
      await until(() => requests(url).length >= count);
      return requests(url);
    },
  };
}

/** The body of a delivery; fails if there is none, or it was not signed with that secret. */
export function verify(secret: string, request: ReceivedRequest | undefined): Record<string, unknown> {
  if (!request) throw new Error('There was no delivery.');
  const { body, headers } = request;
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}
