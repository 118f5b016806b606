import type { Context } from 'hono';
import { publicOrigin } from './public-origin.ts';

/** Pages beside the current one that get a link of their own. */
const onEachSide = 3;

/** A page of a list: which one, of what size. */
export interface Page {
  number: number;
  size: number;
}

/** Puts the records of one page into the envelope of the interface, with links that keep the rest of the query. */
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

/** The pages that get a link: the first and last ones and those around the current one; undefined is a gap. */
function linkedPages(current: number, last: number): (number | undefined)[] {
  const window = onEachSide + 4;
  if (last < onEachSide * 2 + 8) return range(1, last);
  if (current <= window) return [...range(1, window + onEachSide), undefined, ...range(last - 1, last)];
  if (current > last - window) {
    return [1, 2, undefined, ...range(last - (window + onEachSide - 1), last)];
  }
  const around = range(current - onEachSide, current + onEachSide);
  return [1, 2, undefined, ...around, undefined, last - 1, last];
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
