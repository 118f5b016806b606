import { chmod, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { describeFailure, OperatorError } from '../operator-error.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandContext, CommandOutput, CommandValues } from './command.ts';
import { commands } from './commands.ts';
import { runCommand } from './run-command.ts';

/*
 * Only one process can use an embedded database. While a service does, it runs the commands that are entered elsewhere:
 * they reach it through a socket in the data folder, which only the service's own user can open.
 */

/** Longest address of a Unix socket that all systems accept, in bytes. */
const longestPath = 100;

const socketIn = (dataDir: string) => join(dataDir, 'commands.sock');

interface RemoteCommand {
  name: string;
  values: CommandValues;
}

/** What is sent to the service. The keys themselves stay in their processes. */
interface RemoteRequest extends RemoteCommand {
  secretKeyIds: string;
}

/** The ids of SECRET_KEYS in their order, since the first key encrypts. */
const idsOf = ({ secretKeys }: Pick<Config, 'secretKeys'>) => secretKeys.map(({ id }) => id).join();

type RemoteOutcome = { output: CommandOutput } | { failure: string; isUsage: boolean };

/** Runs commands of other processes until the returned function is called. */
export async function listenForCommands(context: CommandContext, log: Logger): Promise<() => Promise<void>> {
  const path = socketIn(context.config.dataDir);
  const isTooLong = Buffer.byteLength(path) > longestPath;
  if (isTooLong || process.platform === 'win32') {
    const reason = isTooLong ? 'DATA_DIR is too long for a socket' : 'Windows has no such sockets';
    log.warn(`${reason}: stop the service before you use the command line`);
    return () => Promise.resolve();
  }
  const server = createServer((incoming, response) => {
    void json(incoming)
      .then((command) => runRemote(context, command as RemoteRequest))
      .then((outcome) => response.end(JSON.stringify(outcome)))
      .catch(() => response.destroy());
  });
  try {
    // The lock of the data folder shows that no other process listens here.
    await rm(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    await chmod(path, 0o600);
  } catch (err) {
    // Some file systems have no sockets, for example those of Windows in WSL.
    log.warn({ err }, 'DATA_DIR cannot have a socket: stop the service before you use the command line');
    server.close();
    return () => Promise.resolve();
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await closed;
  };
}

async function runRemote(
  context: CommandContext,
  { name, values, secretKeyIds }: RemoteRequest,
): Promise<RemoteOutcome> {
  try {
    const command = commands.find((candidate) => candidate.name === name);
    if (!command) throw new CommandError(`The running service does not know the command "${name}".`);
    if (command.usesSecretKeys && secretKeyIds !== idsOf(context.config))
      throw new CommandError(
        'The running service has other SECRET_KEYS than this command. Set the same for both, and restart the service.',
      );
    return { output: await runCommand(command, context, values) };
  } catch (error) {
    return { failure: describeFailure(error), isUsage: error instanceof UsageError };
  }
}

/**
 * Runs a command in the service that uses the data folder.
 *
 * @returns undefined if that process accepts no commands.
 * @throws OperatorError, UsageError
 */
export async function runInService(
  config: Pick<Config, 'dataDir' | 'secretKeys'>,
  command: RemoteCommand,
): Promise<CommandOutput | undefined> {
  const { dataDir } = config;
  const sent = request({ socketPath: socketIn(dataDir), method: 'POST', path: '/' });
  sent.end(JSON.stringify({ ...command, secretKeyIds: idsOf(config) } satisfies RemoteRequest));
  let body: string;
  try {
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Uint8Array>];
    body = await text(response);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EACCES') {
      throw new OperatorError(
        `The service that uses ${dataDir} runs as another user. Run this command as that user.`,
        { cause: error },
      );
    }
    if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EINVAL', 'ENAMETOOLONG'].includes(code)) return undefined;
    throw error;
  }
  const outcome = JSON.parse(body) as RemoteOutcome;
  if ('output' in outcome) return outcome.output;
  throw outcome.isUsage ? new UsageError(outcome.failure) : new OperatorError(outcome.failure);
}
