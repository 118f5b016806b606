import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { truncateResponse } from './truncate-response.ts';
import { ChatError } from './chat-error.ts';
import type { TimedRequest } from './timed-request.ts';
import { parseJson } from './parse-json.ts';
import { readText } from './read-text.ts';
import { serviceErrorFrom } from './service-error.ts';

/** The part of a contract's operation that a request needs. */
export interface Endpoint<Body extends z.core.$ZodType> {
  readonly method: string;
  readonly path: string;
  readonly response: Body & { safeParse(value: unknown): { data?: z.output<Body> } };
}

/**
 * Reads and validates a JSON response.
 *
 * @throws {ChatError} for an error response and for an invalid one
 */
export async function readAnswer<Body extends z.core.$ZodType>(
  endpoint: Endpoint<Body>,
  response: Response,
  request: TimedRequest,
): Promise<z.output<Body>> {
  let text = '';
  for await (const chunk of readText(response, limits.responseBody, request.keepAlive)) text += chunk;
  const body = parseJson(text);
  truncateResponse(body);
  // Statuses differ between deployments, so the body decides.
  const answer = endpoint.response.safeParse(body).data;
  if (answer !== undefined) return answer;
  throw (
    serviceErrorFrom(body, response, endpoint.path) ??
    new ChatError('bad-response', 'The service sent an invalid response.', {
      status: response.status,
    })
  );
}
