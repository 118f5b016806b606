/** What scripts have begun and not ended, counted by kind; put into the page before anything else runs. */
export interface PageWatch {
  /** A line for each kind of thing that still runs, and where it was begun. */
  running(): string[];
}

declare global {
  interface Window {
    watch: PageWatch;
  }
}

type Callback = (...args: unknown[]) => unknown;

/** Runs in the page; so it may use nothing from outside. */
export function watchPage(): void {
  const begun = new Map<string, string>();
  const note = (kind: string, id: unknown): void => {
    begun.set(`${kind} ${String(id)}`, `${kind} ${new Error().stack?.split('\n').slice(3).join('') ?? ''}`);
  };
  const global = window as unknown as Record<string, (...args: unknown[]) => unknown>;

  /** Pairs such as `setTimeout` and `clearTimeout`. */
  const pair = (begin: string, end: string, isOnce: boolean): void => {
    const [doBegin, doEnd] = [global[begin]?.bind(window), global[end]?.bind(window)];
    global[begin] = (callback, ...rest) => {
      const id: unknown = doBegin?.(
        (...args: unknown[]) => {
          if (isOnce) begun.delete(`${begin} ${String(id)}`);
          return (callback as Callback)(...args);
        },
        ...rest,
      );
      note(begin, id);
      return id;
    };
    global[end] = (id) => {
      begun.delete(`${begin} ${String(id)}`);
      return doEnd?.(id);
    };
  };
  pair('setTimeout', 'clearTimeout', true);
  pair('setInterval', 'clearInterval', false);
  pair('requestAnimationFrame', 'cancelAnimationFrame', true);
  pair('requestIdleCallback', 'cancelIdleCallback', true);

  let count = 0;
  const ids = new WeakMap<object, number>();
  const idOf = (thing: unknown): number => {
    if (typeof thing !== 'object' && typeof thing !== 'function') return -1;
    const known = ids.get(thing as object) ?? count++;
    ids.set(thing as object, known);
    return known;
  };
  /** Whether something is the page's or the browser's own. What belongs to a chat goes with it. */
  const outlives = (target: unknown): boolean =>
    target instanceof Node
      ? target.isConnected && !(target.getRootNode() instanceof ShadowRoot) && !(target as Element).shadowRoot
      : target === undefined ||
        target === window ||
        target === visualViewport ||
        target instanceof MediaQueryList;

  /** Observers of the page, and channels: they live from `begin` to `end`. */
  const lifetime = (name: string, begin: string | undefined, end: string): void => {
    const Original = global[name] as unknown as new (...args: unknown[]) => Record<string, Callback>;
    global[name] = class extends Original {
      constructor(...args: unknown[]) {
        super(...args);
        const { [end]: doEnd } = this;
        if (begin === undefined) note(name, idOf(this));
        else {
          const { [begin]: doBegin } = this;
          this[begin] = (...given) => {
            if (outlives(given[0])) note(name, idOf(this));
            return doBegin?.apply(this, given);
          };
        }
        this[end] = (...given) => {
          begun.delete(`${name} ${String(idOf(this))}`);
          return doEnd?.apply(this, given);
        };
      }
    } as unknown as Callback;
  };
  for (const name of ['ResizeObserver', 'IntersectionObserver', 'MutationObserver', 'PerformanceObserver'])
    lifetime(name, 'observe', 'disconnect');
  lifetime('BroadcastChannel', undefined, 'close');

  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the target that they are called on
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const nameOf = (target: unknown, type: string, listener: unknown, options: unknown): string => {
    const isCapture =
      typeof options === 'object' ? (options as AddEventListenerOptions | null)?.capture : options;
    return `${type} ${String(idOf(target ?? window))} ${String(idOf(listener))} ${String(isCapture === true)}`;
  };
  EventTarget.prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    if (outlives(this)) {
      const name = nameOf(this, type, listener, options);
      note('listener', name);
      const forget = (): void => void begun.delete(`listener ${name}`);
      const { signal, once } = typeof options === 'object' ? options : {};
      if (signal) add.call(signal, 'abort', forget);
      if (once) add.call(this, type, forget, { once });
    }
    add.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    if (outlives(this)) begun.delete(`listener ${nameOf(this, type, listener, options)}`);
    remove.call(this, type, listener, options);
  };
  window.watch = { running: () => [...new Set(begun.values())] };
}
