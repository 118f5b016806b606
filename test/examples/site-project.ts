import { cp, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChildProcess, type ChildProcess } from '../support/process/child-process.ts';
import { freePort } from '../support/process/free-port.ts';
import { repository } from '../support/repository.ts';
import type { Example } from './examples.ts';

/** A copy of a project in a temporary folder, with the packed package installed. */
export interface Project {
  folder: string;
  /** Runs `npm` to its end; rejects with the output if it fails. */
  npm(...args: string[]): Promise<string>;
  /** Starts `npm`. */
  start(args: readonly string[], env?: Record<string, string>): ChildProcess;
  remove(): Promise<void>;
}

/** A copy of an example, with the packed package installed. */
export interface SiteProject extends Omit<Project, 'start'> {
  /** Serves the built site. */
  start(): Promise<{ url: string; stop(): Promise<void> }>;
}

/** The address and the assistant in the examples and in the documentation. */
const placeholders = { url: 'https://assistants.example', assistant: 'ASSISTANT-UUID' };

/**
 * Copies a project, with the packed package in place of the published one.
 *
 * @param path relative to the repository
 * @param service replaces the placeholders in the files
 */
export async function copyProject(
  path: string,
  tarball: string,
  service: { url: string; assistant: string } = placeholders,
): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `example-${basename(path)}-`)));
  await cp(join(repository, path), folder, {
    recursive: true,
    filter: (file) => !file.includes('node_modules'),
  });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    let text = await readFile(file, 'utf8');
    for (const key of ['url', 'assistant'] as const) text = text.replaceAll(placeholders[key], service[key]);
    if (entry.name === 'package.json')
      text = text.replace(
        /("voice-assistant-chat": )"[^"]+"/,
        (_, field: string) => `${field}"file:${tarball}"`,
      );
    await writeFile(file, text);
  }
  const env = {
    // The tools of the examples need this version of Node.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    NODE_ENV: undefined,
    NODE_OPTIONS: undefined,
    NODE_TEST_CONTEXT: undefined,
    CI: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NG_CLI_ANALYTICS: 'false',
  };
  const start = (args: readonly string[], more: Record<string, string> = {}) =>
    startChildProcess('npm', args, { cwd: folder, env: { ...env, ...more }, keptOutput: 200_000 });
  return {
    folder,
    async npm(...args) {
      const child = start(args);
      const status = await child.ended;
      if (status !== 0)
        throw new Error(`npm ${args.join(' ')} ended with ${String(status)}:\n${child.output()}`);
      return child.output();
    },
    start,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Copies an example. @param service replaces the placeholders in its files. */
export async function copyExample(
  { name, serve }: Example,
  tarball: string,
  service: { url: string; assistant: string },
): Promise<SiteProject> {
  const project = await copyProject(`demo/examples/${name}`, tarball, service);
  return {
    ...project,
    async start() {
      const port = String(await freePort());
      const child = project.start(serve(port), { HOST: '127.0.0.1', PORT: port });
      const url = `http://127.0.0.1:${port}`;
      const hasEnded = child.ended.then(() => true);
      while (!(await fetch(url).catch(() => undefined))?.ok) {
        if (await Promise.race([hasEnded, delay(100, false)]))
          throw new Error(`The server ended:\n${child.output()}`);
      }
      return { url, stop: () => child.stop() };
    },
  };
}
