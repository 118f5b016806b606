/** Within these the arrow keys scroll or choose something. */
const ownKeys = 'pre, .table, textarea, input, select';

/** Lines with nothing in them are hidden. */
const shown = 'li:not([hidden]) > article';
/** Where the arrow keys lead, from top to bottom. */
const stops = `.earlier button, ${shown}`;

/**
 * Walks the messages of a log by keyboard: arrow up and down, Home and End; Escape goes back to the log itself. Above
 * the first message stands the way to earlier ones. One message at a time is in the order of Tab.
 *
 * @returns whether the key was meant for the log
 */
export function walkLog(log: HTMLElement, event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const target = event.composedPath()[0] as Element;
  if (altKey || ctrlKey || metaKey || shiftKey || target.closest(ownKeys) !== null) return false;
  const here = target.closest('li')?.querySelector<HTMLElement>(stops);
  if (key === 'Escape') {
    if (!here) return false;
    log.focus({ preventScroll: true });
    return true;
  }
  const articles = [...log.querySelectorAll<HTMLElement>(stops)];
  const at = here ? articles.indexOf(here) : articles.length;
  const to = {
    ArrowUp: at - 1,
    ArrowDown: here ? at + 1 : inView(log, articles),
    Home: articles.indexOf(log.querySelector(shown) as HTMLElement),
    End: articles.length - 1,
  }[key];
  if (to === undefined) return false;
  const next = articles[Math.min(Math.max(to, 0), articles.length - 1)];
  if (next === undefined) return false;
  for (const other of log.querySelectorAll<HTMLElement>('article[tabindex="0"]')) other.tabIndex = -1;
  next.tabIndex = 0;
  next.focus({ preventScroll: true });
  // With the room around it, where its ring is.
  next.parentElement?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** The first message that shows. */
function inView(log: HTMLElement, articles: readonly HTMLElement[]): number {
  const { top } = log.getBoundingClientRect();
  const shows = (element: Element): boolean => element.getBoundingClientRect().bottom > top;
  // Page by page: asking messages of pages out of sight would lay them all out.
  const first = [...log.querySelectorAll('.page')].find(shows)?.querySelectorAll('article') ?? [];
  return articles.indexOf([...first].find(shows) as HTMLElement);
}
