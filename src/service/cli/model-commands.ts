import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readSettingsFile, settingsFile, withoutBlank } from '../read-environment.ts';
import { askAll } from './ask-all.ts';
import type { Question } from './ask-all.ts';
import { checkModel } from './check-model.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandInput, CommandValues } from './command.ts';

/** The options that describe a language model. */
export const modelOptions = {
  'model-url': {
    value: 'address',
    description: 'OpenAI-compatible endpoint, such as http://localhost:11434/v1',
  },
  model: { value: 'name', description: 'its model, such as gpt-4.1-mini' },
  'model-key': { value: 'key', description: 'its API key' },
} as const;

const questions: readonly Question[] = [
  ['model-url', 'Address of an OpenAI-compatible model', undefined],
  ['model', 'The name of the model', undefined],
  ['model-key', 'Its API key (empty: none)', ''],
];

export const connectModelCommand: Command = {
  name: 'model connect',
  summary: 'Tests a language model and stores its settings. Asks for what is missing.',
  options: modelOptions,
  prepare: (given, input) => connectModel('model connect', given, input),
  run: () => Promise.resolve({ lines: [], data: {} }),
};

/**
 * Asks for what is missing of a model, tests it and stores its settings. Returns the values without the key, which stays
 * in this process.
 *
 * @throws CommandError if the model does not answer, or the environment has other settings; UsageError
 */
export async function connectModel(
  command: string,
  given: CommandValues,
  input: CommandInput,
): Promise<CommandValues> {
  const [address, ...others] = questions;
  const { 'model-url': baseUrl = '' } = await askAll(command, address ? [address] : [], given, input);
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError(`"${baseUrl}" is not an http or https address.`);
  }
  const { 'model-key': key, ...values } = await askAll(
    command,
    others,
    { ...given, 'model-url': baseUrl },
    input,
  );
  const model = { baseUrl, apiKey: key === '' ? undefined : key, model: values['model'] ?? '' };
  const settings = { LLM_BASE_URL: baseUrl, LLM_MODEL: model.model, LLM_API_KEY: model.apiKey };
  requireSameInEnvironment(settings, input.env);
  input.say(`Testing ${model.model}…`);
  const warning = await checkModel(model);
  const file = await storeSettings(settings);
  input.say(
    `The model answers. Its settings are in ${file}, which "start" reads. Restart a running service, so that it uses them.`,
  );
  if (warning !== undefined) input.say(warning);
  return values;
}

/**
 * The environment takes precedence over the settings file. With another address there, "start" would not use the tested
 * model; with another key, it would send that to the typed address.
 *
 * @throws CommandError
 */
function requireSameInEnvironment(
  settings: Record<string, string | undefined>,
  env: CommandInput['env'],
): void {
  const given = withoutBlank(env);
  const other = Object.entries(settings).find(([name, value = '']) => (given[name] ?? value) !== value);
  if (!other) return;
  throw new CommandError(
    `The environment has another ${other[0]}, which the service would use instead. Unset it, or set all three there: ` +
      `${Object.keys(settings).join(', ')}. Nothing was stored.`,
  );
}

/** Sets settings in the settings file and keeps its other ones. Returns the file's path. @throws CommandError */
async function storeSettings(settings: Record<string, string | undefined>): Promise<string> {
  const file = resolve(settingsFile);
  const others = readSettingsFile();
  const lines = Object.entries({ ...others, ...settings }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quote(name, value)}`],
  );
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 }).catch((cause: unknown) => {
    throw new CommandError(
      `${file} cannot be written (${(cause as NodeJS.ErrnoException).code}). ` +
        `Set ${Object.keys(settings).join(', ')} yourself, and leave out --model-url.`,
      { cause },
    );
  });
  return file;
}

/** Quotes a value so that it is read unchanged: the file's format has no escapes but `\n`. @throws CommandError */
function quote(name: string, value: string): string {
  const candidates = [JSON.stringify(value), `'${value}'`, `\`${value}\``];
  const quoted = candidates.find((text) => parseEnv(`X=${text}`)['X'] === value);
  if (quoted === undefined) throw new CommandError(`The value of ${name} contains every kind of quotes.`);
  return quoted;
}
