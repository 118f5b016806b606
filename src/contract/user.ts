import * as z from 'zod/mini';

/** ISO 8601, UTC, with microseconds and a trailing `Z`: `2026-01-31T09:30:00.000000Z`. */
const Timestamp = z.string();

/** Answer of `GET /user/me`. */
export const User = z.looseObject({
  name: z.string(),
  email: z.string(),
  /** USD. */
  total_balance: z.coerce.number(),
});
export type User = z.infer<typeof User>;

/** A key as it is listed. Its value is shown once, when it is created, and never again. */
export const ApiKey = z.looseObject({
  id: z.int(),
  name: z.string(),
  last_used_at: z.nullable(Timestamp),
  created_at: Timestamp,
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Answer of `GET /user/api-keys`. */
export const ApiKeys = z.looseObject({ api_keys: z.array(ApiKey) });
export type ApiKeys = z.infer<typeof ApiKeys>;
