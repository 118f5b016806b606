import * as z from 'zod/mini';

/** ISO 8601, UTC, with microseconds and a trailing `Z`: `2026-01-31T09:30:00.000000Z`. */
export const timestamp = z.string();

/** `YYYY-MM-DD HH:MM:SS`, UTC. Used by leads and calls. */
export const plainTimestamp = z.string();

/** A number written as a string, so that no digit is lost. */
export const decimalString = z.string();

/** Response of operations that return only a message. */
export const Message = z.looseObject({ message: z.string() });

/** A message with the affected record. */
export const messageWith = <Data extends z.ZodMiniType>(data: Data) =>
  z.looseObject({ message: z.string(), data });

/** The envelope of a paginated list (interface: "Pagination envelope"). */
export const paginated = <Item extends z.ZodMiniType>(item: Item) =>
  z.looseObject({
    current_page: z.int(),
    data: z.array(item),
    first_page_url: z.string(),
    /** Position of the page's first record in the whole list, from 1; null on an empty page. */
    from: z.nullable(z.int()),
    last_page: z.int(),
    last_page_url: z.string(),
    links: z.array(z.looseObject({ url: z.nullable(z.string()), label: z.string(), active: z.boolean() })),
    next_page_url: z.nullable(z.string()),
    path: z.string(),
    per_page: z.int(),
    prev_page_url: z.nullable(z.string()),
    to: z.nullable(z.int()),
    total: z.int(),
  });

/** The envelope of a list with cursor pagination. */
export const cursorPaginated = <Item extends z.ZodMiniType>(item: Item) =>
  z.looseObject({
    data: z.array(item),
    path: z.string(),
    per_page: z.int(),
    next_cursor: z.nullable(z.string()),
    next_page_url: z.nullable(z.string()),
    prev_cursor: z.nullable(z.string()),
    prev_page_url: z.nullable(z.string()),
  });
