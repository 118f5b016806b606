/** Measurements made inside the page. Every page has it, also the blank one, so that its cost cancels out. */
export interface Instrument {
  /** Duration of each task over 50 ms, in milliseconds. */
  readonly longTasks: number[];
  /** Sum of the layout shifts. */
  readonly shift: number;
  /** Time of the last click or key press, by the page's clock. */
  readonly actedAt: number;
  /** Resolves when a frame has painted a sight, with the time by the page's clock. */
  painted(sight: Sight, count?: number): Promise<number>;
  sees(sight: Sight, count?: number): boolean;
}

/** The parts of a page that can be waited for. */
export type Sight = 'page' | 'launcher' | 'composer' | 'own message' | 'messages' | 'answer';

declare global {
  interface Window {
    instrument: Instrument;
  }
}

/** Runs in the page before other scripts. It is sent as text, so it must not use anything outside itself. */
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
      // All messages are there; at least the visible ones are rendered as Markdown.
      const answer = all.findLast(({ part }) => part.contains('message-assistant'));
      return all.length >= count && isInView(all.at(-1)) && !!answer?.querySelector('.markdown');
    },
    answer: (count) => inChat('li.assistant[data-status=done]').length >= count,
  };
  const painted = async (sight: Sight, count = 1): Promise<number> => {
    for (;;) {
      // A message posted in a frame arrives after the frame has been painted.
      await new Promise((resolve) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(0);
        });
      });
      if (sights[sight](count)) return performance.now();
    }
  };
  window.instrument = Object.assign(state, {
    painted,
    sees: (sight: Sight, count = 1) => sights[sight](count),
  });
}
