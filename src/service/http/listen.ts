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

/** The system refuses the address or the port. */
export class CannotListenError extends OperatorError {
  override readonly name = 'CannotListenError';
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(
      `Cannot listen on port ${port} of ${host} (${cause.code ?? cause.message}). HOST must be an address of this machine, ` +
        'and PORT one that the user of the service may use: those below 1024 are often reserved for root.',
      { cause },
    );
  }
}

/**
 * Starts to listen; port 0 picks a free one.
 *
 * @throws PortInUseError, CannotListenError
 */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    throw cause.code === 'EADDRINUSE'
      ? new PortInUseError(port, cause)
      : new CannotListenError(host, port, cause);
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
