import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that runs beside the tests, in a process group of its own so that its own children end with it. */
export interface ChildProcess {
  readonly pid: number;
  /** The last part of what it has written to standard output and standard error. */
  output(): string;
  /** Waits until `pick` finds what it looks for in a line; fails when the program ends or the time is over first. */
  waitForLine<Found>(
    stream: 'stdout' | 'stderr' | 3,
    pick: (line: string) => Found | undefined,
  ): Promise<Found>;
  /** Settles with the exit code, or with the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks it and its children to end, and ends for good what does not. */
  stop(): Promise<void>;
}

export interface ChildProcessOptions {
  /** Variables beside those of this process; `undefined` takes one away. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** How long `waitForLine` waits, in milliseconds. */
  patience?: number;
  /** How long it may take to end when it is asked to, in milliseconds. */
  mercy?: number;
  /** How much of its output to keep, in characters. */
  keptOutput?: number;
}

const groups = new Set<number>();
let watchesThisProcess = false;

/** Starts a program. Whatever happens to this process, the program does not outlive it. */
export function startChildProcess(
  command: string,
  args: readonly string[],
  { env = {}, cwd, patience = 60_000, mercy = 10_000, keptOutput = 20_000 }: ChildProcessOptions = {},
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
        delay(patience, undefined, { ref: false }).then(
          () => new Error(`"${name}" was not ready after ${String(patience / 1000)} s:\n${output}`),
        ),
      ]);
      if (outcome instanceof Error) throw outcome;
      return outcome.line;
    },
    async stop() {
      if (pid === 0) return;
      signalGroup(pid, 'SIGTERM');
      const gone = await Promise.race([ended.then(() => true), delay(mercy, false, { ref: false })]);
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
