import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that runs beside the tests, in a process group of its own so that its own children end with it. */
export interface ChildProcess {
  readonly pid: number;
  /** The end of its standard output and standard error. */
  output(): string;
  /** Waits until `pick` finds what it looks for in a line; rejects if the program ends or times out first. */
  waitForLine<Found>(
    stream: 'stdout' | 'stderr' | 3,
    pick: (line: string) => Found | undefined,
  ): Promise<Found>;
  /** Settles with the exit code, or with the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it and its children, and kills those that do not end. */
  stop(): Promise<void>;
}

export interface ChildProcessOptions {
  /** Variables added to those of this process; `undefined` removes one. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Milliseconds that `waitForLine` waits. */
  startTimeout?: number;
  /** Milliseconds from `SIGTERM` to `SIGKILL`. */
  stopTimeout?: number;
  /** How much of its output to keep, in characters. */
  keptOutput?: number;
}

const groups = new Set<number>();
let watchesThisProcess = false;

/** Starts a program, which ends with this process at the latest. */
export function startChildProcess(
  command: string,
  args: readonly string[],
  {
    env = {},
    cwd,
    startTimeout = 60_000,
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
  const keep = (chunk: Buffer | string) => {
    output = (output + String(chunk)).slice(-keptOutput);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('error', (error) => {
      keep(error.message);
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
      const gone = await Promise.race([ended.then(() => true), delay(stopTimeout, false, { ref: false })]);
      // Members of the group may outlive its first process.
      signalGroup(pid, 'SIGKILL');
      if (!gone) await ended;
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
  if (!watchesThisProcess) {
    watchesThisProcess = true;
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
