import process from 'node:process';
import { ConfigError, readConfig } from './config.ts';
import { DataFolderInUseError } from './db/lock-folder.ts';
import { DatabaseUnreachableError } from './db/open-postgres.ts';
import { PortInUseError } from './http/listen.ts';
import { serve } from './serve.ts';

/** Mistakes of whoever starts the service: a sentence helps them, a stack does not. */
const operatorErrors = [ConfigError, DataFolderInUseError, DatabaseUnreachableError, PortInUseError];

try {
  const running = await serve(readConfig(process.env));
  const stop = () => {
    void running.close().then(() => process.exit(0));
  };
  // Not once: a terminal and a process manager may both pass the same Ctrl+C on.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  const known = operatorErrors.some((kind) => error instanceof kind);
  const text =
    error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
