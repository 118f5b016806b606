import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { startChildProcess } from '../support/process/child-process.ts';
import type { ChildProcess } from '../support/process/child-process.ts';
import { repository } from '../support/repository.ts';
import { ServiceClient } from '../support/service/service-client.ts';

const execute = promisify(execFile);
const folders: string[] = [];
const programs: ChildProcess[] = [];

after(async () => {
  // First, since they write into the folders.
  await Promise.all(programs.map((program) => program.stop()));
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Creates a temporary folder that is removed after the tests of this file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deployment-'));
  folders.push(folder);
  return folder;
}

/** Runs npm in a folder; returns its standard output. */
export async function npm(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    maxBuffer: 32 * 1024 * 1024,
  });
  return stdout;
}

/** Packs the service as it is published, and installs it in a new folder; returns the folder. */
export async function installService(): Promise<string> {
  const folder = await temporaryFolder();
  const packed = await npm(
    repository,
    ...['pack', '--workspace', 'src/service', '--pack-destination', folder, '--json'],
  );
  // npm prints an array or, since version 12, an object by package name; the scripts may print before it.
  const filename = /"filename": "([^"]+)"/.exec(packed)?.[1] ?? '';
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await npm(folder, 'install', '--omit=dev', join(folder, filename));
  return folder;
}

/** Installs a version of Node in a new folder; returns the path of its executable. */
export async function installNode(version: string): Promise<string> {
  const folder = await temporaryFolder();
  const name = `node-${process.platform}-${process.arch}`;
  await npm(folder, 'install', '--no-save', `${name}@${version}`);
  return join(folder, 'node_modules', name, 'bin/node');
}

/** The oldest version of Node that the service's package.json allows. */
export async function oldestNode(): Promise<string> {
  const manifest = await readFile(join(repository, 'src/service/package.json'), 'utf8');
  const { engines } = JSON.parse(manifest) as { engines: { node: string } };
  return `${engines.node.replace('>=', '')}.0`;
}

/** The program of an installed service. */
export const programIn = (folder: string) => join(folder, 'node_modules/.bin/voice-assistant-chat-service');

/** Environment of a service with an embedded database in `folder`. */
export const embeddedIn = (folder: string): Record<string, string | undefined> => ({
  PORT: '0',
  RATE_LIMIT: '0',
  DATA_DIR: join(folder, 'data'),
  DATABASE_URL: undefined,
  LLM_BASE_URL: undefined,
  LLM_API_KEY: undefined,
});

/** Starts a program that ends with the tests of this file. */
export function startProgram(
  ...[command, args, options]: Parameters<typeof startChildProcess>
): ChildProcess {
  const child = startChildProcess(command, args, options);
  programs.push(child);
  return child;
}

/** Waits for the JSON line of `start --json`. */
export async function waitForService(child: ChildProcess): Promise<ServiceClient> {
  const line = await child.waitForLine('stdout', (text) => text);
  return new ServiceClient((JSON.parse(line) as { url: string }).url);
}

/** Runs a program to its end; returns its exit code and its output. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<{ status: number | NodeJS.Signals; output: string }> {
  const child = startChildProcess(command, args, options);
  return { status: await child.ended, output: child.output() };
}
