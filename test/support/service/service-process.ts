import { join } from 'node:path';
import { startChildProcess } from '../process/child-process.ts';
import type { ChildProcess } from '../process/child-process.ts';
import { repository } from '../repository.ts';
import { ServiceClient } from './service-client.ts';
import type { Environment } from './service.ts';
import { atEnd } from './service.ts';

/** A service in its own process, as an operator runs it. */
export class ServiceProcess extends ServiceClient {
  readonly child: ChildProcess;

  constructor(url: string, child: ChildProcess) {
    super(url);
    this.child = child;
  }

  /** Sends a signal to the service, but not to its children. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.child.pid, name);
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}

/**
 * Starts the service's program without waiting until it is ready.
 *
 * @param program starts the service in another way.
 */
export function spawnService(env: Environment, program = 'src/service/main.ts'): ChildProcess {
  const child = startChildProcess(process.execPath, [join(repository, program)], {
    env: { PORT: '0', RATE_LIMIT: '0', LOG_LEVEL: 'info', ...env },
    keptOutput: 1_000_000,
  });
  atEnd(() => child.stop());
  return child;
}

/** Starts the service's program and waits until it listens. */
export async function startServiceProcess(env: Environment, program?: string): Promise<ServiceProcess> {
  const child = spawnService(env, program);
  const port = await child.waitForLine('stderr', (line) => {
    if (!line.startsWith('{')) return undefined;
    const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
    return msg === 'listening' ? port : undefined;
  });
  return new ServiceProcess(`http://127.0.0.1:${port}`, child);
}
