import { tell } from './tell.ts';

/** Ids of conversations let whoever has them read what was said. */
const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Tells of each request to the service and each part that loads, also of those before. Gives what ends it. */
export function watchRequests(baseUrl: () => string): () => void {
  const scripts = new URL('.', import.meta.url).href;
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration, responseStatus } of list.getEntries() as PerformanceResourceTiming[]) {
      const service = new URL(`${baseUrl()}/api/`, location.href).href;
      const time = `after ${Math.round(duration)} ms`;
      // Not every browser tells, and none for what was blocked.
      const status = (responseStatus as number | undefined) || 'no status';
      if (name.startsWith(scripts)) tell(`Loaded ${name.slice(scripts.length)} (${status}) ${time}.`);
      else if (name.startsWith(service))
        tell(`Asked the service for ${name.slice(service.length).replace(id, '…')} (${status}) ${time}.`);
    }
  });
  observer.observe({ type: 'resource', buffered: true });
  return () => {
    observer.disconnect();
  };
}
