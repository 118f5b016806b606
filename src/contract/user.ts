import * as z from 'zod/mini';
import { timestamp } from './answer-fields.ts';
import { ownerEndpoint } from './owner-endpoint.ts';

/* The account: the user and the API keys (interface: "Identity and keys"). */

/** Response of `GET /user/me`. */
export const User = z.looseObject({
  name: z.string(),
  email: z.string(),
  /** USD. */
  total_balance: z.number(),
});
export type User = z.infer<typeof User>;

/** An API key. Its value is shown only once, at creation. */
export const ApiKey = z.looseObject({
  id: z.int(),
  name: z.string(),
  last_used_at: z.nullable(timestamp),
  created_at: timestamp,
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Response of `GET /user/api-keys`. */
export const ApiKeys = z.looseObject({ api_keys: z.array(ApiKey) });
export type ApiKeys = z.infer<typeof ApiKeys>;

export const readUser = ownerEndpoint({
  summary: 'Returns the user that the API key belongs to.',
  method: 'GET',
  path: '/api/user/me',
  response: User,
});

export const listApiKeys = ownerEndpoint({
  summary: "Lists the user's API keys, without their values.",
  method: 'GET',
  path: '/api/user/api-keys',
  response: ApiKeys,
});
