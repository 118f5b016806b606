import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { endingSignals, outOfTime } from './ending-signals.ts';
import type { Extracted, ExtractionTask } from './extract.ts';
import { ExtractionError } from './extraction-error.ts';
import type { RobotsAnswer } from './robots.ts';

/** A page to look up in a robots.txt. */
export interface RobotsTask {
  type: 'robots';
  text: string;
  page: string;
  userAgent: string;
}

/** Sent to a child process. */
export type ExtractionRequest = ExtractionTask | RobotsTask;

/** Sent back by the child process: a result, or the reason of an `ExtractionError`. */
export interface ExtractionResponse {
  result?: Extracted | RobotsAnswer;
  failure?: string;
  /** Resident memory of the process afterwards, in bytes. */
  memory: number;
}

/**
 * Longest text of a document, in UTF-16 code units (about fifteen novels), and its largest number of chunks. Headings
 * count once per chunk.
 */
export const extractionLimits = { text: 10_000_000, chunks: 20_000 };

interface Limits {
  /** Child processes at the same time. */
  processes: number;
  /** JavaScript heap of a process, in megabytes. */
  heapMb: number;
  /** All memory of a process, in megabytes. */
  memoryMb: number;
  /** Processor time for one document or page, in milliseconds. */
  processorMs: number;
}

const defaults: Limits = { processes: 2, heapMb: 400, memoryMb: 640, processorMs: 60_000 };

/** Limit on the time for one document or page, as a multiple of its processor time: on a busy machine, it has to wait. */
const longestWait = 5;

/** How long an idle process is kept for the next task, in milliseconds. */
const idleMs = 5000;

/**
 * Reads documents, web pages and robots.txt files that may be hostile. Child processes with limits on memory and time
 * do the work, so a document can neither block nor end the service. A process that dies is replaced.
 */
export class Extractor {
  readonly #limits: Limits;
  readonly #released = new EventEmitter().setMaxListeners(0);
  #busy = 0;
  #idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = [];

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** @throws ExtractionError; the signal's reason */
  async extract(task: ExtractionTask, signal: AbortSignal): Promise<Extracted> {
    return (await this.#run(task, signal)) as Extracted;
  }

  /** @throws ExtractionError; the signal's reason */
  async readRobots(task: Omit<RobotsTask, 'type'>, signal: AbortSignal): Promise<RobotsAnswer> {
    return (await this.#run({ type: 'robots', ...task }, signal)) as RobotsAnswer;
  }

  async #run(request: ExtractionRequest, signal: AbortSignal): Promise<Extracted | RobotsAnswer> {
    signal.throwIfAborted();
    while (this.#busy >= this.#limits.processes) {
      await once(this.#released, 'released', { signal }).catch(() => {
        throw signal.reason;
      });
    }
    this.#busy++;
    try {
      const child = this.#takeChild();
      const { result, failure, memory } = await this.#send(child, request, signal);
      // Node.js may never return memory to the system.
      if (memory > (this.#limits.memoryMb / 2) * 1024 * 1024) child.kill('SIGKILL');
      else this.#keep(child);
      if (result === undefined) throw new ExtractionError(failure);
      return result;
    } finally {
      this.#busy--;
      this.#released.emit('released');
    }
  }

  /** Sends a request; ends the process if it does not respond in time. */
  async #send(
    child: ChildProcess,
    request: ExtractionRequest,
    signal: AbortSignal,
  ): Promise<ExtractionResponse> {
    const response = Promise.withResolvers<ExtractionResponse>();
    const settled = new AbortController();
    const fail = (reason: string) => {
      response.reject(new ExtractionError(reason));
    };
    child.on('message', response.resolve);
    child.on('error', response.reject);
    child.on('exit', (code, death) => {
      // It was still starting: afterwards, it ignores them.
      if (endingSignals.some((signal) => signal === death))
        response.reject(new Error(`A process that reads documents received ${death}.`));
      if (death === outOfTime) fail(tooLong);
      fail(
        code === outOfMemory || death === 'SIGABRT' || death === 'SIGKILL'
          ? 'The document takes more memory to read than it may.'
          : 'The document cannot be read.',
      );
    });
    signal.addEventListener(
      'abort',
      () => {
        response.reject(signal.reason);
      },
      { signal: settled.signal },
    );
    const timer = setTimeout(() => {
      fail(tooLong);
    }, this.#limits.processorMs * longestWait);
    try {
      // If sending fails, the process has ended, and its `exit` event has the reason.
      child.send(request, () => undefined);
      return await response.promise;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
      settled.abort();
      child.removeAllListeners().on('error', () => undefined);
    }
  }

  #takeChild(): ChildProcess {
    const kept = this.#idle.pop();
    if (!kept) return this.#start();
    clearTimeout(kept.timer);
    kept.child.removeAllListeners('exit');
    kept.child.ref();
    kept.child.channel?.ref();
    return kept.child;
  }

  /** Keeps a process for the next task, without keeping the service alive. */
  #keep(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    const drop = () => {
      this.#idle = this.#idle.filter((kept) => kept.child !== child);
      child.kill('SIGKILL');
    };
    child.once('exit', drop);
    this.#idle.push({ child, timer: setTimeout(drop, idleMs).unref() });
  }

  #start(): ChildProcess {
    const { heapMb, memoryMb, processorMs } = this.#limits;
    const program = join(import.meta.dirname, `extraction-process${extname(import.meta.filename)}`);
    const child = fork(program, [String(memoryMb * 1024 * 1024), String(processorMs)], {
      execArgv: [`--max-old-space-size=${heapMb}`],
      // The service's environment contains keys, which documents must not reach.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    lowerPriority(child);
    return child;
  }
}

/** Conversations go first. At once, since its threads inherit the priority when they start. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or the system does not allow it.
  }
}

const tooLong = 'The document takes too long to read.';

/** Exit code of Node.js when the heap is full. */
const outOfMemory = 134;
