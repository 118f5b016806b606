/** Runs `task` when the page has nothing better to do, two seconds from now at the latest. Returns what cancels it. */
export function whenIdle(task: () => void): () => void {
  // Safari has no idle time to offer.
  const hasIdleTime: unknown = globalThis.requestIdleCallback;
  const handle = hasIdleTime ? requestIdleCallback(task, { timeout: 2000 }) : setTimeout(task, 200);
  return () => {
    (hasIdleTime ? cancelIdleCallback : clearTimeout)(handle);
  };
}
