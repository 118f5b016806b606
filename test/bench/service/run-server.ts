import { join } from 'node:path';
import { startChildProcess } from '../../support/process/child-process.ts';
import type { ChildProcess } from '../../support/process/child-process.ts';
import { repository } from '../../support/repository.ts';

/** A server in its own process. */
export interface Server {
  url: string;
  child: ChildProcess;
}

/** Starts one of our programs and waits until it listens. */
export async function runServer(
  file: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Server> {
  const child = startChildProcess(process.execPath, [...flags, join(repository, file)], { env });
  const port = await child.waitForLine('stderr', (line) => {
    if (!line.startsWith('{')) return undefined;
    const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
    return msg === 'listening' ? port : undefined;
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

/** Settings of the measured service: without a rate limit. */
export const serviceSettings = { PORT: '0', RATE_LIMIT: '0', LOG_LEVEL: 'info' };
