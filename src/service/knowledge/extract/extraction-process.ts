import process from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { endingSignals } from './ending-signals.ts';
import type { ExtractionRequest, ExtractionResponse } from './extractor.ts';

// The program of the child processes that `Extractor` starts.

/** Pause between two checks of the memory, in milliseconds. */
const checkMs = 50;

if (isMainThread) {
  // A separate thread, because a document can block the main thread.
  new Worker(new URL(import.meta.url), { workerData: Number(process.argv[2]) }).unref();
  // The service receives them too, and decides what becomes of the document.
  for (const signal of endingSignals) process.on(signal, () => undefined);
  process.on('message', (request: ExtractionRequest) => {
    void respond(request).then((response) =>
      process.send?.({ ...response, memory: process.memoryUsage.rss() } satisfies ExtractionResponse),
    );
  });
} else {
  limitMemory(workerData as number);
}

/** Ends the process when it exceeds its memory limit (buffers included) or outlives its parent. */
function limitMemory(maximumMemory: number): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.memoryUsage.rss() > maximumMemory || process.ppid !== parent)
      process.kill(process.pid, 'SIGKILL');
  }, checkMs);
}

async function respond(request: ExtractionRequest): Promise<Omit<ExtractionResponse, 'memory'>> {
  const { ExtractionError } = await import('./extraction-error.ts');
  try {
    if (request.type === 'robots') {
      const { readRobots } = await import('./robots.ts');
      return { result: readRobots(request.text, request.page, request.userAgent) };
    }
    const { extract } = await import('./extract.ts');
    return { result: await extract(request) };
  } catch (error) {
    if (error instanceof ExtractionError) return { failure: error.message };
    // The document causes other errors of the libraries, too.
    return {
      failure:
        error instanceof RangeError && /call stack/.test(error.message)
          ? 'The document is nested too deeply.'
          : 'The document cannot be read.',
    };
  }
}
