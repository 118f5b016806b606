import { logLine } from './log-line.ts';

/** Anyone who has a conversation's UUID can read it, so UUIDs are not logged. */
const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** The built files of the chat. A site's own bundler gives them other names; the hashes of Next.js are longer. */
const ownFile = /chunks\/[a-z-]+-[\da-f]{6,8}\.js$/;

/**
 * Logs requests to the service and loaded files of the chat, including earlier ones. Returns a function that stops it.
 */
export function watchRequests(baseUrl: () => string): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration, responseStatus } of list.getEntries() as PerformanceResourceTiming[]) {
      const service = new URL(`${baseUrl()}/api/`, location.href).href;
      const time = `after ${Math.round(duration)} ms`;
      // Some browsers report no status, and no browser does for a blocked request.
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
