import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { boundAnswer } from './bound-answer.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { parseJson } from './parse-json.ts';
import { readText } from './read-text.ts';
import { serviceErrorFrom } from './service-error.ts';

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
  for await (const chunk of readText(response, limits.responseBody, exchange.keepAlive)) text += chunk;
  const body = parseJson(text);
  boundAnswer(body);
  // The body decides, not the status: statuses differ between deployments.
  const answer = endpoint.response.safeParse(body).data;
  if (answer !== undefined) return answer;
  throw (
    serviceErrorFrom(body, response, notFound) ??
    new ChatError('bad-response', 'The service sent an answer that makes no sense.', {
      status: response.status,
    })
  );
}
