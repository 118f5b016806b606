import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';

/** Settings of `OfflineRecognizer`; undefined for the model of the package. */
export type RecognizerConfig = { modelConfig: object } | undefined;

/** Work for the child process. */
export type SpeechTask =
  | { type: 'transcribe'; samples: Int16Array; rate: number; model: RecognizerConfig }
  | { type: 'load'; model: RecognizerConfig }
  | { type: 'flite'; text: string; voice: string; speed: number }
  | { type: 'voice'; folder: string; config: object; text: string; speaker: number; speed: number };

export type SpeechRequest = SpeechTask & { id: number };

/** A part of the result. The last part may have a failure. */
export interface SpeechResponse {
  id: number;
  text?: string;
  rate?: number;
  samples?: Int16Array;
  isLast?: true;
  failure?: string;
}

interface Limits {
  /** Maximum number of concurrent tasks. */
  parallel: number;
  /** Maximum number of queued tasks. */
  waiting: number;
  /** Time limit of a task, in milliseconds. */
  taskMs: number;
  /** Time without tasks after which the process ends, in milliseconds, since it uses about 300 MB of memory. */
  idleMs: number;
}

const defaults: Limits = {
  parallel: Math.max(1, availableParallelism() - 1),
  waiting: 100,
  taskMs: 60_000,
  idleMs: 600_000,
};

interface Pending {
  task: SpeechTask;
  onResponse: (response: SpeechResponse) => void;
  done: PromiseWithResolvers<undefined>;
  /** Whether an earlier process ended during this task. */
  isRepeated: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs the speech models in a child process, so that they can neither block nor crash the service. A process that dies
 * is replaced, and its tasks are retried once.
 */
export class SpeechProcess {
  readonly #limits: Limits;
  readonly #waiting: Pending[] = [];
  readonly #running = new Map<number, Pending>();
  /** The keys of {@link warmUp} since the process has started. */
  readonly #warm = new Set<string>();
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 0;
  #isClosed = false;

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** The id of the child process, for tests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Whether no task is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /**
   * Starts the process and runs a task for its models, so that the first other task is quick.
   *
   * @param key names the models, which load once.
   */
  warmUp(key: string, task: SpeechTask): void {
    if (this.#isClosed || this.#warm.has(key)) return;
    this.#warm.add(key);
    // Ignored: the first other task fails with the same error.
    this.run(task, () => undefined, new AbortController().signal).catch(() => undefined);
  }

  /**
   * Runs a task and passes its results to `onResponse`.
   *
   * @throws Error if the task fails; the signal's reason if it is aborted.
   */
  async run(
    task: SpeechTask,
    onResponse: (response: SpeechResponse) => void,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('Speech has been closed.');
    if (this.#waiting.length >= this.#limits.waiting)
      throw new Error('Too much speech is waiting to be converted.');
    const done = Promise.withResolvers<undefined>();
    const pending: Pending = { task, onResponse, done, isRepeated: false, timer: undefined };
    const abort = () => {
      const index = this.#waiting.indexOf(pending);
      if (index >= 0) this.#waiting.splice(index, 1);
      done.reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.push(pending);
    this.#startTasks();
    try {
      await done.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const { done, timer } of [...this.#waiting.splice(0), ...this.#running.values()]) {
      clearTimeout(timer);
      done.reject(new Error('Speech has been closed.'));
    }
    this.#running.clear();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #startTasks(): void {
    clearTimeout(this.#idle);
    while (this.#running.size < this.#limits.parallel) {
      const pending = this.#waiting.shift();
      if (!pending) break;
      const child = (this.#child ??= this.#start());
      const id = this.#nextId++;
      this.#running.set(id, pending);
      pending.timer = setTimeout(() => {
        pending.isRepeated = true;
        child.kill('SIGKILL');
      }, this.#limits.taskMs);
      // If sending fails, the process has ended, and its `exit` event follows.
      child.send({ id, ...pending.task } satisfies SpeechRequest, () => undefined);
    }
    const keepsAlive = this.#running.size > 0;
    this.#child?.[keepsAlive ? 'ref' : 'unref']();
    this.#child?.channel?.[keepsAlive ? 'ref' : 'unref']();
    if (!keepsAlive && this.#child) {
      const child = this.#child;
      this.#idle = setTimeout(() => child.kill('SIGKILL'), this.#limits.idleMs).unref();
    }
  }

  #receive(response: SpeechResponse): void {
    const pending = this.#running.get(response.id);
    if (!pending) return;
    if (!response.isLast) {
      pending.onResponse(response);
      return;
    }
    clearTimeout(pending.timer);
    this.#running.delete(response.id);
    if (response.failure === undefined) pending.done.resolve(undefined);
    else pending.done.reject(new Error(response.failure));
    this.#startTasks();
  }

  #start(): ChildProcess {
    const child = fork(join(import.meta.dirname, `speech-program${extname(import.meta.filename)}`), {
      execArgv: ['--no-warnings'],
      // The process needs none of the service's keys.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const onEnd = () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#warm.clear();
      for (const [id, pending] of this.#running) {
        clearTimeout(pending.timer);
        this.#running.delete(id);
        if (pending.isRepeated) pending.done.reject(new Error('The speech process has ended.'));
        else this.#waiting.unshift(Object.assign(pending, { isRepeated: true }));
      }
      if (!this.#isClosed) this.#startTasks();
    };
    child.on('message', (response: SpeechResponse) => {
      this.#receive(response);
    });
    child.on('exit', onEnd);
    child.on('error', onEnd);
    return child;
  }
}
