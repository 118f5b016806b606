import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { endingSignals, outOfTime } from './ending-signals.ts';
import type { ExtractionRequest, ExtractionResponse } from './extractor.ts';

// The program of the child processes that `Extractor` starts.

/** Pause between two checks of the limits, in milliseconds. */
const checkMs = 50;

if (isMainThread) {
  // A separate thread, because a document can block the main thread.
  const [maximumMemory, processorMs] = process.argv.slice(2).map(Number);
  const limits = new Worker(new URL(import.meta.url), { workerData: { maximumMemory, processorMs } });
  limits.unref();
  // The service receives them too, and decides what becomes of the document.
  for (const signal of endingSignals) process.on(signal, () => undefined);
  process.on('message', (request: ExtractionRequest) => {
    limits.postMessage('started');
    void respond(request).then((response) =>
      process.send?.({ ...response, memory: process.memoryUsage.rss() } satisfies ExtractionResponse),
    );
  });
} else {
  applyLimits(workerData as Limits);
}

interface Limits {
  /** All memory of the process, buffers included, in bytes. */
  maximumMemory: number;
  /** Processor time for one request, in milliseconds. */
  processorMs: number;
}

/** Ends the process when it exceeds its limits or outlives its parent. */
function applyLimits({ maximumMemory, processorMs }: Limits): void {
  const parent = process.ppid;
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let usedBefore = usedMs();
  parentPort?.on('message', () => {
    usedBefore = usedMs();
  });
  setInterval(() => {
    if (usedMs() - usedBefore > processorMs) process.kill(process.pid, outOfTime);
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
