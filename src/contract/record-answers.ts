import * as z from 'zod/mini';

/** ISO 8601, UTC, with microseconds and a trailing `Z`: `2026-01-31T09:30:00.000000Z`. */
export const timestamp = z.string();

/** `YYYY-MM-DD HH:MM:SS`, UTC: of leads and calls. */
export const plainTimestamp = z.string();

/** A number that is written as text, so that no digit is lost. */
export const decimalString = z.string();

/** Answer of operations that only say that something was done. */
export const Message = z.looseObject({ message: z.string() });

/** The same with what it was done to. */
export const messageWith = <Data extends z.ZodMiniType>(data: Data) =>
  z.looseObject({ message: z.string(), data });
