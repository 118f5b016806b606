import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Extracted, ExtractionTask } from './extract.ts';
import { ExtractionError } from './extraction-error.ts';

/** What a thread may use: megabytes of objects, bytes of buffers, and milliseconds for each task. */
export interface ExtractionLimits {
  heapMb: number;
  bufferBytes: number;
  taskMs: number;
}

const usual: ExtractionLimits = { heapMb: 512, bufferBytes: 512 * 1024 * 1024, taskMs: 60_000 };

/** Pause between two looks at what a thread uses, in milliseconds. */
const watchMs = 100;

/**
 * A thread that reads documents which may be hostile. One that takes too long or too much is ended, and nothing else
 * with it.
 */
export class ExtractionThread implements AsyncDisposable {
  readonly #limits: ExtractionLimits;
  #worker: Worker | undefined;

  constructor(limits: Partial<ExtractionLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  /** @throws ExtractionError; the signal's reason */
  async run(task: ExtractionTask, signal: AbortSignal): Promise<Extracted> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const end = Promise.withResolvers<Extracted>();
    const fail = (error: unknown) => {
      end.reject(error);
    };
    const tooMuch = () => {
      fail(new ExtractionError('The document takes more memory to read than it may.'));
    };
    worker.on('message', ({ extracted, reason }: { extracted?: Extracted; reason?: string }) => {
      if (extracted) end.resolve(extracted);
      else fail(new ExtractionError(reason));
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') tooMuch();
      else fail(new ExtractionError('The document cannot be read.', { cause: error }));
    });
    worker.on('exit', () => {
      fail(new ExtractionError('The document cannot be read.'));
    });
    const aborted = () => {
      fail(signal.reason);
    };
    signal.addEventListener('abort', aborted);
    const timer = setTimeout(() => {
      fail(new ExtractionError('The document takes too long to read.'));
    }, this.#limits.taskMs);
    // Buffers are not part of the heap that the thread's own limits count.
    const watch = setInterval(() => {
      void bufferBytes(worker).then((bytes) => {
        if (bytes > this.#limits.bufferBytes) tooMuch();
      });
    }, watchMs);
    try {
      worker.postMessage(task);
      return await end.promise;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', aborted);
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    return new Worker(join(import.meta.dirname, 'thread.ts'), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.heapMb,
        maxYoungGenerationSizeMb: 64,
        stackSizeMb: 4,
      },
      // Nothing of the service's settings, keys among them, is for a document to see.
      env: {},
      stdout: true,
      stderr: true,
    });
  }
}

async function bufferBytes(worker: Worker): Promise<number> {
  try {
    return (await worker.getHeapStatistics()).external_memory;
  } catch {
    return 0;
  }
}
