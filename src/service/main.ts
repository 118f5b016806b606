import process from 'node:process';
import { readConfig } from './config.ts';
import { describeFailure } from './operator-error.ts';
import { serve } from './serve.ts';
import { stopOnSignals } from './stop-on-signals.ts';

try {
  const running = await serve(readConfig(process.env));
  stopOnSignals(() => {
    void running.close().then(() => process.exit(0));
  });
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
