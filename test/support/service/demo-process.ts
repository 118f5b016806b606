import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChildProcess } from '../process/child-process.ts';
import { repository } from '../repository.ts';
import { copyPgliteImage } from './pglite-image.ts';

/** The features that the seeded assistants demonstrate. */
export type Shows = 'greeting' | 'no-greeting' | 'settings' | 'german' | 'arabic' | 'no-balance';

/** The output of `npm start -- --json`. */
export interface DemoDescription {
  /** Origin of the service and of the demo's pages, without a trailing slash. */
  url: string;
  apiKey: string;
  assistants: { uuid: string; name: string; shows: Shows }[];
}

export interface DemoProcess extends DemoDescription {
  /** Its log. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts the whole demo on a free port, with an empty database and, unless `env` sets one, no language model. */
export async function startDemo(
  env: Record<string, string> = {},
  command: readonly string[] = [process.execPath, 'demo/start.ts', '--json'],
): Promise<DemoProcess> {
  const [program = '', ...args] = command;
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  await copyPgliteImage(dataDir);
  const demo = startChildProcess(program, args, {
    cwd: repository,
    env: {
      DATABASE_URL: undefined,
      LLM_BASE_URL: undefined,
      LLM_API_KEY: undefined,
      LLM_MODEL: undefined,
      PORT: '0',
      DATA_DIR: dataDir,
      // All browsers share one IP address.
      RATE_LIMIT: '0',
      // Calls take a model that loads for seconds, and put a button into every header.
      VOICE: 'off',
      FSYNC: 'off',
      ...env,
    },
  });
  const stop = async () => {
    await demo.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const line = await demo.waitForLine('stdout', (text) => (text.startsWith('{') ? text : undefined));
    const { url, ...rest } = JSON.parse(line) as DemoDescription;
    return { url: url.replace(/\/$/, ''), ...rest, output: () => demo.output(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The UUID of the seeded assistant that demonstrates a feature. */
export function assistantThatShows(
  shows: Shows,
  { assistants }: Pick<DemoDescription, 'assistants'>,
): string {
  const assistant = assistants.find((candidate) => candidate.shows === shows);
  if (!assistant) throw new Error(`No seeded assistant shows "${shows}".`);
  return assistant.uuid;
}
