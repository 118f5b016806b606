import * as z from 'zod/mini';

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
