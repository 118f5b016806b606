import type { Context } from 'hono';
import { Refusal, sentence } from '../lib/refusal.ts';
import { publicOrigin } from './public-origin.ts';

/** A place in a list whose newest record has the highest id: right after a record, or right before one. */
export interface Cursor {
  direction: 'older' | 'newer';
  /** The record itself is left out. */
  than: number;
}

const encode = ({ direction, than }: Cursor) => Buffer.from(`${direction}:${than}`).toString('base64url');

/**
 * Reads the cursor of a query.
 *
 * @throws Refusal if it is none of ours.
 */
export function readCursor(given: string | undefined): Cursor | undefined {
  if (given === undefined) return undefined;
  const match = /^(older|newer):(\d{1,15})$/.exec(Buffer.from(given, 'base64url').toString());
  if (!match) throw Refusal.invalidField('cursor', sentence('cursor', 'selected is invalid.'));
  return { direction: match[1] as Cursor['direction'], than: Number(match[2]) };
}

/** Records around a cursor, newest first, as a database found them. */
export interface CursorPage {
  /** Rows by the id that orders them, with what the wire shows of each. */
  items: readonly { rowId: number; record: unknown }[];
  /** Whether there are further ones in the direction of the cursor. */
  more: boolean;
}

/** Puts the records after or before a cursor into an envelope with the cursors of the next and the previous page. */
export function paginateByCursor(
  c: Context,
  cursor: Cursor | undefined,
  size: number,
  { items, more }: CursorPage,
) {
  const here = new URL(c.req.url);
  const path = publicOrigin(c, here) + here.pathname;
  const [newest, oldest] = [items[0], items.at(-1)];
  const goesUp = cursor?.direction === 'newer';
  const next = oldest && (goesUp || more) ? encode({ direction: 'older', than: oldest.rowId }) : null;
  const hasNewer = goesUp ? more : cursor !== undefined;
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
