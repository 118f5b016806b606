import { once } from 'node:events';
import type { Server } from 'node:http';
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
