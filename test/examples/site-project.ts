import { cp, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChildProcess } from '../support/process/child-process.ts';
import { freePort } from '../support/process/free-port.ts';
import { repository } from '../support/repository.ts';
import type { Example } from './examples.ts';

/** A copy of an example in a temporary folder, with the packed package installed. */
export interface SiteProject {
  /** Runs `npm` to its end; rejects with the output if it fails. */
  npm(...args: string[]): Promise<string>;
  /** Serves the built site. */
  start(): Promise<{ url: string; stop(): Promise<void> }>;
  remove(): Promise<void>;
}

/** The address and the assistant in the examples and in the documentation. */
const placeholders = { url: 'https://assistants.example', assistant: 'ASSISTANT-UUID' };

/** @param service replaces the placeholders in the example's files. */
export async function copyExample(
  { name, serve }: Example,
  tarball: string,
  service: { url: string; assistant: string },
): Promise<SiteProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `example-${name}-`)));
  await cp(join(repository, 'demo/examples', name), folder, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    let text = await readFile(path, 'utf8');
    for (const key of ['url', 'assistant'] as const) text = text.replaceAll(placeholders[key], service[key]);
    if (entry.name === 'package.json')
      text = text.replace(
        /("voice-assistant-chat": )"[^"]+"/,
        (_, field: string) => `${field}"file:${tarball}"`,
      );
    await writeFile(path, text);
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
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    startChildProcess('npm', args, { cwd: folder, env: { ...env, ...more }, keptOutput: 200_000 });
  return {
    async npm(...args) {
      const child = run(args);
      const status = await child.ended;
      if (status !== 0)
        throw new Error(`npm ${args.join(' ')} ended with ${String(status)}:\n${child.output()}`);
      return child.output();
    },
    async start() {
      const port = String(await freePort());
      const child = run(serve(port), { HOST: '127.0.0.1', PORT: port });
      const url = `http://127.0.0.1:${port}`;
      const hasEnded = child.ended.then(() => true);
      while (!(await fetch(url).catch(() => undefined))?.ok) {
        if (await Promise.race([hasEnded, delay(100, false)]))
          throw new Error(`The server ended:\n${child.output()}`);
      }
      return { url, stop: () => child.stop() };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
