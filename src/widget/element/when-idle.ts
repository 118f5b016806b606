/** Runs `task` when the page has nothing better to do, two seconds from now at the latest. Returns what cancels it. */
export function whenIdle(task: () => void): () => void {
  // Safari has no idle time to offer.
  const inIdleTime = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined;
  const handle = inIdleTime ? inIdleTime(task, { timeout: 2000 }) : setTimeout(task, 200);
  return () => {
    (inIdleTime ? cancelIdleCallback : clearTimeout)(handle);
  };
}
