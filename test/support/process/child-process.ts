import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that runs beside the tests, in its own process group so that its children end with it. */
export interface ChildProcess {
  readonly pid: number;
  /** The last `keptOutput` characters of its standard output and standard error. */
  output(): string;
  /** Waits for a line for which `pick` returns a value; rejects if the program ends or times out first. */
  waitForLine<Found>(
    stream: 'stdout' | 'stderr' | 3,
    pick: (line: string) => Found | undefined,
  ): Promise<Found>;
  /** Resolves with the exit code or the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends `SIGTERM` to the program and its children, then `SIGKILL` to those still running. */
  stop(): Promise<void>;
}

export interface ChildProcessOptions {
  /** Environment variables added to those of this process; `undefined` removes one. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Time-out of `waitForLine` in milliseconds. */
  startTimeout?: number;
  /** Milliseconds from `SIGTERM` to `SIGKILL`. */
  stopTimeout?: number;
  /** Maximum number of characters of its output to keep. */
  keptOutput?: number;
}

const groups = new Set<number>();
let isExitHandled = false;

/** Starts a program and kills it when this process exits. */
export function startChildProcess(
  command: string,
  args: readonly string[],
  {
    env = {},
    cwd,
    startTimeout = 180_000,
    stopTimeout = 10_000,
    keptOutput = 20_000,
  }: ChildProcessOptions = {},
): ChildProcess {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const name = [command, ...args].join(' ');
  let output = '';
  const append = (chunk: Buffer | string) => {
    output = (output + String(chunk)).slice(-keptOutput);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('error', (error) => {
      append(error.message);
      resolve(127);
    });
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 0);
    });
  });
  const pid = child.pid ?? 0;
  if (pid > 0) endWithThisProcess(pid, ended);

  return {
    pid,
    ended,
    output: () => output,
    async waitForLine(stream, pick) {
      const found = findLine(
        child.stdio[stream === 'stdout' ? 1 : stream === 'stderr' ? 2 : 3] as Readable,
        pick,
      );
      const outcome = await Promise.race([
        found,
        ended.then(
          (status) => new Error(`"${name}" ended (${String(status)}) before it was ready:\n${output}`),
        ),
        delay(startTimeout, undefined, { ref: false }).then(
          () => new Error(`"${name}" was not ready after ${String(startTimeout / 1000)} s:\n${output}`),
        ),
      ]);
      if (outcome instanceof Error) throw outcome;
      return outcome.line;
    },
    async stop() {
      if (pid === 0) return;
      signalGroup(pid, 'SIGTERM');
      const hasEnded = await Promise.race([
        ended.then(() => true),
        delay(stopTimeout, false, { ref: false }),
      ]);
      // The program's children may outlive it.
      signalGroup(pid, 'SIGKILL');
      if (!hasEnded) await ended;
    },
  };
}

function findLine<Found>(stream: Readable, pick: (line: string) => Found | undefined) {
  return new Promise<{ line: Found }>((resolve) => {
    const lines = createInterface({ input: stream });
    lines.on('line', (text) => {
      const line = pick(text);
      if (line !== undefined) resolve({ line });
    });
  });
}

function endWithThisProcess(pid: number, ended: Promise<unknown>): void {
  if (!isExitHandled) {
    isExitHandled = true;
    process.once('exit', endGroups);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => process.exit(130));
  }
  groups.add(pid);
  void ended.then(() => groups.delete(pid));
}

function endGroups(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
