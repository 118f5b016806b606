import process from 'node:process';
import { readConfig } from './config.ts';
import { describeFailure } from './operator-error.ts';
import { serve } from './serve.ts';

try {
  const running = await serve(readConfig(process.env));
  const stop = () => {
    void running.close().then(() => process.exit(0));
  };
  // Not once: a terminal and a process manager may both pass the same Ctrl+C on.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
