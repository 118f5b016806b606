import { Webhook } from 'standardwebhooks';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer, ReceivedRequest } from './loopback-server.ts';
import { until } from '../until.ts';

/**
 * The responses of an address to its next deliveries, in order; the last one repeats. `endless` is the status 200 with a
 * body that never ends.
 */
export type Answers = (number | 'hang' | 'cut' | 'endless')[];

/** A server that receives webhooks. */
export interface WebhookReceiver {
  readonly server: LoopbackServer;
  /** Creates an address with these responses; returns its URL. The default response is 200. */
  address(...answers: Answers): string;
  /** Sets the responses of an address from now on. */
  answer(url: string, ...answers: Answers): void;
  /** Waits for `count` deliveries to an address; returns its deliveries. */
  received(url: string, count: number): Promise<ReceivedRequest[]>;
  /** The deliveries to an address so far. */
  requests(url: string): ReceivedRequest[];
}

/** Starts a webhook receiver on a free port. */
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
    if (answer === 'endless') {
      response.write('accepted');
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
    address(...responses) {
      const path = `/hooks/${answers.size + 1}`;
      answers.set(path, responses);
      return server.url + path;
    },
    answer(url, ...responses) {
      answers.set(new URL(url).pathname, responses);
    },
    requests,
    async received(url, count) {
      await until(() => requests(url).length >= count);
      return requests(url);
    },
  };
}

/** Returns the body of a delivery; throws if there is none or if it is not signed with the secret. */
export function verify(secret: string, request: ReceivedRequest | undefined): Record<string, unknown> {
  if (!request) throw new Error('No webhook was delivered.');
  const { body, headers } = request;
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}
