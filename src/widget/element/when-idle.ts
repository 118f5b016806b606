/** Runs `task` when the page is idle, at the latest after two seconds. Returns a function that cancels it. */
export function whenIdle(task: () => void): () => void {
  // Safari has no `requestIdleCallback`.
  const inIdleTime = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined;
  const handle = inIdleTime ? inIdleTime(task, { timeout: 2000 }) : setTimeout(task, 200);
  return () => {
    (inIdleTime ? cancelIdleCallback : clearTimeout)(handle);
  };
}
