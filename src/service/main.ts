import process from 'node:process';
import { ConfigError, readConfig } from './config.ts';
import { DataFolderInUseError } from './db/lock-folder.ts';
import { PortInUseError } from './http/listen.ts';
import { serve } from './serve.ts';

/** Mistakes of whoever starts the service: a sentence helps them, a stack does not. */
const operatorErrors = [ConfigError, DataFolderInUseError, PortInUseError];

try {
  const running = await serve(readConfig(process.env));
  const stop = () => {
    void running.close().then(() => process.exit(0));
    // Whoever asks twice does not want to wait for replies.
    process.once('SIGTERM', () => process.exit(1));
    process.once('SIGINT', () => process.exit(1));
  };
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      if (stopping) return;
      stopping = true;
      stop();
    });
  }
} catch (error) {
  const known = operatorErrors.some((kind) => error instanceof kind);
  const text =
    error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
