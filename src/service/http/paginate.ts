import type { Context } from 'hono';
import type { Page } from '../db/newest-page.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import { publicOrigin } from './public-origin.ts';

/** Linked pages on each side of the current one. */
const pagesOnEachSide = 3;

/** Wraps the records of a page in the envelope of the interface. Its links keep the other query parameters. */
export function paginate(c: Context, { number, size }: Page, total: number, data: readonly unknown[]) {
  const here = new URL(c.req.url);
  const path = publicOrigin(c, here) + here.pathname;
  const urlOf = (page: number) => {
    const query = new URLSearchParams(here.search);
    query.set('page', String(page));
    return `${path}?${query.toString()}`;
  };
  const last = Math.max(1, Math.ceil(total / size));
  const previous = number > 1 ? urlOf(number - 1) : null;
  const next = number < last ? urlOf(number + 1) : null;
  const first = (number - 1) * size + 1;
  return {
    current_page: number,
    data,
    first_page_url: urlOf(1),
    from: data.length > 0 ? first : null,
    last_page: last,
    last_page_url: urlOf(last),
    links: [
      { url: previous, label: '&laquo; Previous', active: false },
      ...linkedPages(number, last).map((page) =>
        page === undefined
          ? { url: null, label: '...', active: false }
          : { url: urlOf(page), label: String(page), active: page === number },
      ),
      { url: next, label: 'Next &raquo;', active: false },
    ],
    next_page_url: next,
    path,
    per_page: size,
    prev_page_url: previous,
    to: data.length > 0 ? first + data.length - 1 : null,
    total,
  };
}

/** The linked pages: the first and last ones and those around the current one; undefined is a gap. */
function linkedPages(current: number, last: number): (number | undefined)[] {
  const window = pagesOnEachSide + 4;
  if (last < pagesOnEachSide * 2 + 8) return range(1, last);
  if (current <= window) return [...range(1, window + pagesOnEachSide), undefined, ...range(last - 1, last)];
  if (current > last - window) {
    return [1, 2, undefined, ...range(last - (window + pagesOnEachSide - 1), last)];
  }
  const around = range(current - pagesOnEachSide, current + pagesOnEachSide);
  return [1, 2, undefined, ...around, undefined, last - 1, last];
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A position in a list that is ordered by id: right after or before a record. */
export interface Cursor {
  direction: 'older' | 'newer';
  /** The record's id, exclusive. */
  than: number;
}

const encode = ({ direction, than }: Cursor) => Buffer.from(`${direction}:${than}`).toString('base64url');

/**
 * Reads the cursor of a query.
 *
 * @throws Refusal if it is invalid.
 */
export function readCursor(given: string | undefined): Cursor | undefined {
  if (given === undefined) return undefined;
  const match = /^(older|newer):(\d{1,15})$/.exec(Buffer.from(given, 'base64url').toString());
  if (!match) throw Refusal.invalidField('cursor', sentence('cursor', 'selected is invalid.'));
  return { direction: match[1] as Cursor['direction'], than: Number(match[2]) };
}

/** Records after or before a cursor, newest first. */
export interface CursorPage {
  /** The records with the ids that order them. */
  items: readonly { rowId: number; record: unknown }[];
  /** Whether there are more in the direction of the cursor. */
  more: boolean;
}

/** Wraps the records of a page in an envelope with the cursors of the next and the previous page. */
export function paginateByCursor(
  c: Context,
  cursor: Cursor | undefined,
  size: number,
  { items, more }: CursorPage,
) {
  const here = new URL(c.req.url);
  const path = publicOrigin(c, here) + here.pathname;
  const [newest, oldest] = [items[0], items.at(-1)];
  const isAscending = cursor?.direction === 'newer';
  const next = oldest && (isAscending || more) ? encode({ direction: 'older', than: oldest.rowId }) : null;
  const hasNewer = isAscending ? more : cursor !== undefined;
  const previous = newest && hasNewer ? encode({ direction: 'newer', than: newest.rowId }) : null;
  const urlOf = (encoded: string | null) => {
    if (encoded === null) return null;
    const query = new URLSearchParams(here.search);
    query.set('cursor', encoded);
    return `${path}?${query.toString()}`;
  };
  return {
    data: items.map(({ record }) => record),
    path,
    per_page: size,
    next_cursor: next,
    next_page_url: urlOf(next),
    prev_cursor: previous,
    prev_page_url: urlOf(previous),
  };
}
