import { logLine } from './log-line.ts';

/** Anyone who has a conversation's UUID can read it, so UUIDs are not logged. */
const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** The built files of the chat; a site's own bundler gives them other names. */
const ownFile = /chunks\/(panel|talk|sending|markdown|extras|builder|gate|locales)-[\w-]+\.js$/;

/** Logs each request to the service and each file of the chat, also those from before. Returns a function that ends it. */
export function watchRequests(baseUrl: () => string): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration, responseStatus } of list.getEntries() as PerformanceResourceTiming[]) {
      const service = new URL(`${baseUrl()}/api/`, location.href).href;
      const time = `after ${Math.round(duration)} ms`;
      // Some browsers give no status, and none does for a blocked request.
      const status = (responseStatus as number | undefined) || 'no status';
      const [file] = ownFile.exec(name) ?? [];
      if (file) logLine(`Loaded ${file} (${status}) ${time}.`);
      else if (name.startsWith(service))
        logLine(`Asked the service for ${name.slice(service.length).replace(id, '…')} (${status}) ${time}.`);
    }
  });
  observer.observe({ type: 'resource', buffered: true });
  return () => {
    observer.disconnect();
  };
}
