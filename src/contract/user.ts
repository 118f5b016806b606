import * as z from 'zod/mini';
import { timestamp } from './answer-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint, scopes } from './owner-endpoint.ts';
import { nullableDecimal } from './request-fields.ts';

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
  /* Our additions: */
  /** The permissions of the key: each operation requires one scope. */
  scopes: z.optional(z.array(z.enum(scopes))),
  /** Null if the key does not expire. */
  expires_at: z.optional(z.nullable(timestamp)),
  /** The addresses that may use the key, as CIDR ranges; empty if any may. */
  allowed_addresses: z.optional(z.array(z.string())),
  /** The id of the key that replaces it; null if it was not rotated. */
  replaced_by: z.optional(z.nullable(z.int())),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Response of `GET /user/api-keys`. */
export const ApiKeys = z.looseObject({ api_keys: z.array(ApiKey) });
export type ApiKeys = z.infer<typeof ApiKeys>;

export const readUser = ownerEndpoint({
  summary: 'Returns the user that the API key belongs to.',
  method: 'GET',
  path: '/api/user/me',
  scope: 'read',
  response: User,
});

/** The daily spending limit for messages and calls, and today's spending, in USD. Days are in UTC. */
export const Spending = z.looseObject({
  /** Null is no limit. */
  daily_limit: z.nullable(z.number()),
  spent_today: z.number(),
});

/** Body of `PUT /user/spending-limit`. */
export const SpendingLimitRequest = z.object({
  daily_limit: nullableDecimal(recordLimits.spending),
});

export const readSpendingLimit = ownerEndpoint({
  summary: 'Returns the daily spending limit, and what messages and calls have cost today. Our addition.',
  method: 'GET',
  path: '/api/user/spending-limit',
  scope: 'read',
  response: Spending,
});

export const setSpendingLimit = ownerEndpoint({
  summary: 'Sets what messages and calls may cost a day; null is no limit. Our addition.',
  method: 'PUT',
  path: '/api/user/spending-limit',
  scope: 'money',
  changes: 'spending-limit',
  request: SpendingLimitRequest,
  response: Spending,
});

export const listApiKeys = ownerEndpoint({
  summary: "Lists the user's API keys, without their values.",
  method: 'GET',
  path: '/api/user/api-keys',
  scope: 'read',
  response: ApiKeys,
});
