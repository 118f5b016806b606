/** The errors that a page's `window.onerror` would receive, such as `ResizeObserver loop`. They do not fail the test. */
export interface PageErrors {
  readonly messages: readonly string[];
  stop(): void;
}

/** Records the errors of the page from now on. */
export function recordPageErrors(): PageErrors {
  const messages: string[] = [];
  const onError = (event: ErrorEvent): void => {
    messages.push(event.message);
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  addEventListener('error', onError, true);
  return {
    messages,
    stop() {
      removeEventListener('error', onError, true);
    },
  };
}
