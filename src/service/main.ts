import process from 'node:process';
import { parseArgs } from 'node:util';
import { readConfig } from './config.ts';
import { describeFailure, OperatorError } from './operator-error.ts';
import { serve } from './serve.ts';
import { settingsHelp } from './settings.ts';
import { stopOnSignals } from './stop-on-signals.ts';

const help = `Usage: npx node src/service/main.ts

Runs the service. It reads its settings from environment variables:

${settingsHelp()}`;

try {
  const { values } = readArguments(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(`${help}\n`);
  } else {
    const running = await serve(readConfig(process.env));
    stopOnSignals(() => {
      void running.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: { help: { type: 'boolean', short: 'h', default: false } } });
  } catch (cause) {
    throw new OperatorError('The only option is --help. Settings are environment variables.', { cause });
  }
}
