import { parseArgs } from 'node:util';
import { readConfig } from '../src/service/config.ts';
import { checkModelSettings, readEnvironment } from '../src/service/read-environment.ts';
import { seedDemo } from '../src/service/seed/seed-demo.ts';
import { serve } from '../src/service/serve.ts';
import { stopOnSignals } from '../src/service/stop-on-signals.ts';
import { buildMissingDocumentation, buildMissingWidget } from './build-missing.ts';
import { createDemoPreviewToken } from './preview-token.ts';
import { mountDemo } from './routes.ts';
import { summaryJson, summaryText } from './summary.ts';

/*
 * `npm start`: the whole system, seeded, with the demo's pages. `--json` prints one line for scripts.
 * The settings are those of the service, from the environment and its file; fewer lines are logged by default.
 */

async function start(): Promise<void> {
  const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values;
  const warning = checkModelSettings(process.env);
  if (warning !== undefined) console.error(warning);
  const config = readConfig({ LOG_LEVEL: 'warn', ...readEnvironment(process.env) });
  const say = (text: string) => {
    console.error(text);
  };
  await buildMissingWidget(config.widgetDir, say);

  const stopping = new AbortController();
  const running = await serve(config, {
    mount: (app) => {
      mountDemo(app, stopping.signal, (uuid) => createDemoPreviewToken(running.database, uuid));
    },
  });
  const stop = async () => {
    stopping.abort();
    await running.close();
  };
  stopOnSignals(() => {
    stop().catch(fail);
  });

  try {
    const { apiKey, assistants } = await seedDemo(running.database, config.dataDir);
    const summary = { url: running.url, apiKey, assistants };
    console.log(json ? summaryJson(summary) : summaryText(summary));
    buildMissingDocumentation(config.widgetDir, stopping.signal, say);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Errors at the start are reported in a sentence, without a stack trace. */
function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  // The server and the jobs may already run, and would keep the process running.
  process.stderr.write(`${text}\n`, () => process.exit(1));
}

start().catch(fail);
