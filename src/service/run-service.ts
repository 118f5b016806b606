import process from 'node:process';
import { parseArgs } from 'node:util';
import { UsageError } from './cli/command.ts';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { describeFailure } from './operator-error.ts';
import { checkModelSettings, readEnvironment } from './read-environment.ts';
import { storeWidgetVersion } from './routes/widget-versions.ts';
import { serve } from './serve.ts';
import { settingsHelp } from './settings.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { stopOnSignals } from './stop-on-signals.ts';

const help = `Usage: npx voice-assistant-chat-service start [--json], or npx node src/service/main.ts in a checkout

Runs the service until it receives SIGTERM or SIGINT. --json prints its address as JSON once it listens.
It reads its settings from environment variables:

${settingsHelp()}`;

/**
 * Runs the service until the process is stopped; the program's `start`.
 *
 * @param args the words after `start`.
 * @param given the environment, without the settings of the settings file.
 */
export async function runService(args: string[], given: Record<string, string | undefined>): Promise<void> {
  try {
    const { help: isHelpRequested, json } = readArguments(args);
    if (isHelpRequested) {
      process.stdout.write(`${help}\n`);
      return;
    }
    const warning = checkModelSettings(given);
    const env = readEnvironment(given);
    const config = readConfig(env);
    const log = createLog(config.logLevel);
    if (warning !== undefined) log.warn(warning);
    const stopTelemetry = await startTelemetry(env, log);
    await storeWidgetVersion(config.widgetDir, config.dataDir, log);
    const running = await serve(config, { log, testsModels: true });
    stopOnSignals(() => {
      void running
        .close()
        .then(stopTelemetry)
        .finally(() => process.exit(0));
    });
    if (json) process.stdout.write(`${JSON.stringify({ url: running.url })}\n`);
  } catch (error) {
    // The server, the carrier and the jobs may already run, and would keep the process running.
    process.stderr.write(`${describeFailure(error)}\n`, () =>
      process.exit(error instanceof UsageError ? 2 : 1),
    );
  }
}

function readArguments(args: string[]) {
  try {
    const options = {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (cause) {
    throw new UsageError('The only options are --json and --help. Settings are environment variables.', {
      cause,
    });
  }
}
