/** Tracks timers, frames, observers, channels and listeners that scripts have started and not ended. */
export interface PageWatch {
  /** Returns a line for each kind that is still running, with the stack where it was started. */
  running(): string[];
}

declare global {
  interface Window {
    watch: PageWatch;
  }
}

type Callback = (...args: unknown[]) => unknown;

/** Runs in the page before other scripts. It is sent as text, so it must not use anything outside itself. */
export function watchPage(): void {
  const started = new Map<string, string>();
  const track = (kind: string, id: unknown): void => {
    started.set(`${kind} ${String(id)}`, `${kind} ${new Error().stack?.split('\n').slice(3).join('') ?? ''}`);
  };
  const global = window as unknown as Record<string, (...args: unknown[]) => unknown>;

  /** Tracks a pair of functions such as `setTimeout` and `clearTimeout`. */
  const trackPair = (begin: string, end: string, isOnce: boolean): void => {
    const [doBegin, doEnd] = [global[begin]?.bind(window), global[end]?.bind(window)];
    global[begin] = (callback, ...rest) => {
      const id: unknown = doBegin?.(
        (...args: unknown[]) => {
          if (isOnce) started.delete(`${begin} ${String(id)}`);
          return (callback as Callback)(...args);
        },
        ...rest,
      );
      track(begin, id);
      return id;
    };
    global[end] = (id) => {
      started.delete(`${begin} ${String(id)}`);
      return doEnd?.(id);
    };
  };
  trackPair('setTimeout', 'clearTimeout', true);
  trackPair('setInterval', 'clearInterval', false);
  trackPair('requestAnimationFrame', 'cancelAnimationFrame', true);
  trackPair('requestIdleCallback', 'cancelIdleCallback', true);

  let count = 0;
  const ids = new WeakMap<object, number>();
  const idOf = (value: unknown): number => {
    if (typeof value !== 'object' && typeof value !== 'function') return -1;
    const id = ids.get(value as object) ?? count++;
    ids.set(value as object, id);
    return id;
  };
  /** Whether a target belongs to the page or the browser. Targets inside a chat are collected with it. */
  const outlives = (target: unknown): boolean =>
    target instanceof Node
      ? target.isConnected && !(target.getRootNode() instanceof ShadowRoot) && !(target as Element).shadowRoot
      : target === undefined ||
        target === window ||
        target === visualViewport ||
        target instanceof MediaQueryList;

  /** Tracks observers and channels from their method `begin`, or their constructor, to their method `end`. */
  const trackLifetime = (name: string, begin: string | undefined, end: string): void => {
    const Original = global[name] as unknown as new (...args: unknown[]) => Record<string, Callback>;
    global[name] = class extends Original {
      constructor(...args: unknown[]) {
        super(...args);
        const { [end]: doEnd } = this;
        if (begin === undefined) track(name, idOf(this));
        else {
          const { [begin]: doBegin } = this;
          this[begin] = (...args) => {
            if (outlives(args[0])) track(name, idOf(this));
            return doBegin?.apply(this, args);
          };
        }
        this[end] = (...args) => {
          started.delete(`${name} ${String(idOf(this))}`);
          return doEnd?.apply(this, args);
        };
      }
    } as unknown as Callback;
  };
  for (const name of ['ResizeObserver', 'IntersectionObserver', 'MutationObserver', 'PerformanceObserver'])
    trackLifetime(name, 'observe', 'disconnect');
  trackLifetime('BroadcastChannel', undefined, 'close');

  // eslint-disable-next-line @typescript-eslint/unbound-method -- both are called with an explicit `this`
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const nameOf = (target: unknown, type: string, listener: unknown, options: unknown): string => {
    const isCapture =
      typeof options === 'object' ? (options as AddEventListenerOptions | null)?.capture : options;
    return `${type} ${String(idOf(target ?? window))} ${String(idOf(listener))} ${String(isCapture === true)}`;
  };
  EventTarget.prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    if (outlives(this)) {
      const name = nameOf(this, type, listener, options);
      track('listener', name);
      const forget = (): void => void started.delete(`listener ${name}`);
      const { signal, once } = typeof options === 'object' ? options : {};
      if (signal) add.call(signal, 'abort', forget);
      if (once) add.call(this, type, forget, { once });
    }
    add.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    if (outlives(this)) started.delete(`listener ${nameOf(this, type, listener, options)}`);
    remove.call(this, type, listener, options);
  };
  window.watch = { running: () => [...new Set(started.values())] };
}
