/** Elements that handle the arrow keys themselves. */
const ownKeys = 'pre, .table, textarea, input, select';

/** Empty messages are hidden. */
const messages = 'li > article';
/** The elements that arrow keys focus. */
const stops = `.earlier button, ${messages}`;

/**
 * Moves the focus between the messages of a log: arrow up and down, Home and End; Escape moves it to the log itself.
 * Arrow keys scroll through a message that is longer than the log. The button for earlier messages comes first. One
 * message at a time is in the tab order.
 *
 * @returns whether the key was handled
 */
export function moveLogFocus(log: HTMLElement, event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const target = event.composedPath()[0] as Element;
  if (altKey || ctrlKey || metaKey || shiftKey || target.closest(ownKeys) !== null) return false;
  const item = target.closest('.page > li');
  const here = item?.querySelector<HTMLElement>(stops);
  if (key === 'Escape') {
    if (!item) return false;
    log.focus({ preventScroll: true });
    return true;
  }
  // A button in focus may belong to a hidden message, such as a request of a page tool without a text.
  const articles = [...log.querySelectorAll<HTMLElement>(stops)].filter(
    (article) => article === here || !article.hidden,
  );
  const at = here ? articles.indexOf(here) : articles.length;
  const to = {
    ArrowUp: at - 1,
    ArrowDown: here ? at + 1 : inView(log, articles),
    Home: articles.findIndex((article) => article.matches(messages)),
    End: articles.length - 1,
  }[key];
  if (to === undefined) return false;
  const side = ({ ArrowUp: 'top', ArrowDown: 'bottom' } as const)[key];
  let isInView = false;
  if (here && side) {
    const { top, bottom } = here.getBoundingClientRect();
    const view = log.getBoundingClientRect();
    isInView = top < view.bottom && bottom > view.top;
    if (top < view[side] && bottom > view[side]) {
      // As far as browsers scroll for a key; a page cannot prevent it.
      log.scrollBy(0, key === 'ArrowUp' ? -40 : 40);
      return true;
    }
  }
  const next = articles[Math.min(Math.max(to, 0), articles.length - 1)];
  if (!next || next.hidden) return false;
  for (const other of log.querySelectorAll<HTMLElement>('article[tabindex="0"]')) other.tabIndex = -1;
  next.tabIndex = 0;
  next.focus({ preventScroll: true });
  // The list item includes the space for the focus ring.
  // At the end of a long message, WebKit would scroll back to its beginning.
  if (next !== here || !isInView) next.parentElement?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** The index of the first message in view. */
function inView(log: HTMLElement, articles: readonly HTMLElement[]): number {
  const { top } = log.getBoundingClientRect();
  const isVisible = (element: Element): boolean => element.getBoundingClientRect().bottom > top;
  // Page by page: measuring off-screen messages would force their layout.
  const first = [...log.querySelectorAll('.page')].find(isVisible)?.querySelectorAll('article') ?? [];
  return articles.indexOf([...first].find(isVisible) as HTMLElement);
}
