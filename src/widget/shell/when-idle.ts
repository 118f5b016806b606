/** Runs `task` when the page has nothing better to do, two seconds from now at the latest. Returns what cancels it. */
export function whenIdle(task: () => void): () => void {
  if (globalThis.requestIdleCallback as unknown) {
    const handle = requestIdleCallback(task, { timeout: 2000 });
    return () => {
      cancelIdleCallback(handle);
    };
  }
  const timer = setTimeout(task, 200);
  return () => {
    clearTimeout(timer);
  };
}
