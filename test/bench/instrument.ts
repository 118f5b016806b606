/** What the page notes about itself; put into every page, the blank one too, so that it weighs the same everywhere. */
export interface Instrument {
  /** Milliseconds of every task over 50 ms. */
  readonly longTasks: number[];
  /** Sum of the layout shifts. */
  readonly shift: number;
  /** When the last click or key press happened, by the page's clock. */
  readonly actedAt: number;
  /** Resolves with the time, by the page's clock, at which the end of a frame finds what is waited for. */
  painted(what: Sight, count?: number): Promise<number>;
  sees(what: Sight, count?: number): boolean;
}

/** What can be waited for. */
export type Sight = 'page' | 'launcher' | 'composer' | 'own message' | 'messages' | 'answer';

declare global {
  interface Window {
    instrument: Instrument;
  }
}

/** Runs in the page, before anything else does; so it may use nothing from outside. */
export function installInstrument(): void {
  const state = { longTasks: [] as number[], shift: 0, actedAt: 0 };
  const observe = (type: string, note: (entry: PerformanceEntry) => void): void => {
    new PerformanceObserver((list) => {
      list.getEntries().forEach(note);
    }).observe({ type, buffered: true });
  };
  observe('longtask', ({ duration }) => state.longTasks.push(duration));
  observe('layout-shift', (entry) => {
    state.shift += (entry as PerformanceEntry & { value: number }).value;
  });
  for (const type of ['click', 'keydown'])
    addEventListener(type, ({ timeStamp }) => (state.actedAt = timeStamp), true);

  const inChat = (selector: string): Element[] => [
    ...(document.querySelector('voice-assistant-chat')?.shadowRoot?.querySelectorAll(selector) ?? []),
  ];
  const shows = (element: Element | null | undefined): boolean =>
    element?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) === true &&
    element.getBoundingClientRect().width > 0;
  const isInView = (element: Element | undefined): boolean => {
    const log = element?.closest('[role=log]')?.getBoundingClientRect();
    const box = element?.getBoundingClientRect();
    return !!box && !!log && box.bottom > log.top && box.top < log.bottom;
  };
  const sights: Record<Sight, (count: number) => boolean> = {
    page: () => shows(document.querySelector('h1')),
    launcher: () => shows(inChat('[part~=launcher]')[0]),
    composer: () => shows(inChat('[part~=composer-input]')[0]),
    'own message': () => isInView(inChat('[part~=message-user]').at(-1)),
    messages: (count) => {
      const all = inChat('[part~=message]');
      // All of the text is there; Markdown at least where the reader is.
      const answer = all.findLast(({ part }) => part.contains('message-assistant'));
      return all.length >= count && isInView(all.at(-1)) && !!answer?.querySelector('.markdown');
    },
    answer: (count) => inChat('li.assistant[data-status=done]').length >= count,
  };
  const painted = async (what: Sight, count = 1): Promise<number> => {
    for (;;) {
      // A message that is posted in a frame arrives when the frame has been painted.
      await new Promise((resolve) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(0);
        });
      });
      if (sights[what](count)) return performance.now();
    }
  };
  window.instrument = Object.assign(state, {
    painted,
    sees: (what: Sight, count = 1) => sights[what](count),
  });
}
