import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { parseJson } from './parse-json.ts';
import { readText } from './read-text.ts';

/** An operation as the contract describes it. */
export interface Endpoint<Body extends z.core.$ZodType> {
  readonly method: string;
  readonly path: string;
  readonly response: Body & { safeParse(value: unknown): { data?: z.output<Body> } };
}

/** Reads and checks a JSON answer. */
export async function readAnswer<Body extends z.core.$ZodType>(
  endpoint: Endpoint<Body>,
  response: Response,
  exchange: Exchange,
  notFound: ChatErrorCode,
): Promise<z.output<Body>> {
  let text = '';
  for await (const piece of readText(response, limits.responseBody, exchange.keepAlive)) text += piece;
  const body = parseJson(text);
  // The body decides, not the status: statuses differ between deployments.
  const answer = endpoint.response.safeParse(body).data;
  if (answer !== undefined) return answer;
  // Loaded when it is needed: most visits never see an error. Should that fail, the answer is as good as nonsense.
  const errors = await import('./service-error.ts').catch(() => undefined);
  throw (
    errors?.serviceErrorFrom(body, response, notFound) ??
    new ChatError('bad-response', 'The service sent an answer that makes no sense.', {
      status: response.status,
    })
  );
}
