import { once } from 'node:events';
import type { Server } from 'node:http';
import { waitWithTimeout } from '../lib/with-timeout.ts';
import { OperatorError } from '../operator-error.ts';

/** The port is in use. */
export class PortInUseError extends OperatorError {
  override readonly name = 'PortInUseError';
  constructor(port: number, cause: unknown) {
    super(`Port ${port} is in use. Set PORT to another one, or to 0 for any free one.`, { cause });
  }
}

/**
 * Starts to listen; port 0 picks a free one.
 *
 * @throws PortInUseError
 */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortInUseError(port, error);
    }
    throw error;
  }
}

/** The requests whose responses have not started. */
export class PendingRequests {
  readonly #responses = new Set<Promise<unknown>>();

  /** Tracks a request until its response starts; a streamed response continues after that. */
  track<Response>(handled: Response | Promise<Response>): Promise<Response> {
    const response = Promise.resolve(handled).finally(() => this.#responses.delete(response));
    this.#responses.add(response);
    return response;
  }

  /** Waits until these responses have started, for up to `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    await waitWithTimeout(milliseconds, Promise.allSettled(this.#responses));
  }
}
