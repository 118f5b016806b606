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

/** The envelope of a list with pages (interface: "Pagination envelope"). */
export const paginated = <Item extends z.ZodMiniType>(item: Item) =>
  z.looseObject({
    current_page: z.int(),
    data: z.array(item),
    first_page_url: z.string(),
    /** Number of the first record of the page among all, from 1; null on an empty page. */
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

/** The envelope of a list that is read on from where the last page ended. */
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
