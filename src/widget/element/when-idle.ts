/** Runs `task` when the page is idle, at the latest after two seconds. */
export function whenIdle(task: () => void): void {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(task, { timeout: 2000 });
  else setTimeout(task, 200);
}

/** Resolves when the page is idle, at the latest after two seconds. */
export const idle = (): Promise<void> => new Promise(whenIdle);
