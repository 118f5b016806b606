/** Resolves when the page is idle. */
export function whenIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    // Safari has no `requestIdleCallback`, despite the types.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
    (globalThis.requestIdleCallback ?? setTimeout)(resolve);
  });
}
