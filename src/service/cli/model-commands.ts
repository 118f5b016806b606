import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { openAiUrl } from '../engine/read-endpoint.ts';
import {
  checkModelSettings,
  namesModel,
  readEnvironment,
  readSettingsText,
  settingsFile,
  withoutBlank,
} from '../read-environment.ts';
import { settings as serviceSettings } from '../settings.ts';
import { askAll } from './ask-all.ts';
import type { Question } from './ask-all.ts';
import { checkModel, ModelTestError } from './check-model.ts';
import { CommandError } from './command.ts';
import type { Command, CommandInput, CommandValues, PreparedCommand } from './command.ts';

/** The options that describe a language model. */
export const modelOptions = {
  'model-url': {
    value: 'address',
    description: "OpenAI-compatible endpoint, such as http://localhost:11434/v1; OpenAI's own by default",
  },
  model: { value: 'name', description: 'its model, such as gpt-4.1-mini' },
  'model-key': { value: 'key', description: 'its API key' },
} as const;

/** Returns what is wrong with the address of a model. An empty one is the answer of `setup` for no model. */
export const addressProblem = (address: string): string | undefined =>
  address === '' || (/^https?:/.test(address) && URL.canParse(address))
    ? undefined
    : `"${address}" is not an http or https address, such as http://localhost:11434/v1.`;

const addressQuestion: Question = [
  'model-url',
  'Address of an OpenAI-compatible model',
  openAiUrl,
  addressProblem,
];
const modelQuestions: readonly Question[] = [
  ['model', 'The name of the model', undefined],
  ['model-key', 'Its API key (empty: none)', ''],
];

export const connectModelCommand: Command = {
  name: 'model connect',
  summary: 'Tests a language model and stores its settings. Asks for what is missing.',
  createsDatabase: true,
  options: modelOptions,
  prepare: (given, input) => connectModel('model connect', given, input),
  run: () => Promise.resolve({ lines: [], data: {} }),
};

/**
 * Asks for what is missing of a model and tests it. If the test fails, it asks again in a terminal. The settings are
 * stored once the command has succeeded. Returns the other values: the key stays in this process.
 *
 * @param question for the address, if neither a model nor a key is given. An empty answer means no model.
 * @throws CommandError if the model does not answer, or the environment has other settings; UsageError
 */
export async function connectModel(
  command: string,
  given: CommandValues,
  input: CommandInput,
  question = addressQuestion,
): Promise<PreparedCommand> {
  const others = Object.fromEntries(Object.entries(given).filter(([option]) => !(option in modelOptions)));
  const asked = given['model'] === undefined && given['model-key'] === undefined ? question : addressQuestion;
  const { 'model-url': baseUrl = '' } = await askAll(command, [asked], given, input);
  if (baseUrl === '') return { values: others };
  const { model = '', 'model-key': key } = await askAll(command, modelQuestions, given, input);
  const apiKey = key === '' ? undefined : key;
  const settings = {
    // Only without an address does the service ask for the usage of tokens.
    LLM_BASE_URL: baseUrl === openAiUrl ? undefined : baseUrl,
    LLM_MODEL: model,
    LLM_API_KEY: apiKey,
  };
  requireSameInEnvironment({ ...settings, LLM_BASE_URL: baseUrl }, input.env);
  input.say(`Testing ${model} at ${baseUrl}…`);
  let warning: string | undefined;
  try {
    warning = await checkModel({ baseUrl, apiKey, model });
  } catch (error) {
    if (!input.ask || !(error instanceof CommandError)) throw error;
    input.say(error.message);
    return connectModel(command, others, input, question);
  }
  const edited = editSettings(settings);
  const finish = async () => {
    const file = resolve(settingsFile);
    await writeFile(file, edited, { mode: 0o600 }).catch((cause: unknown) => {
      throw new CommandError(
        `${file} cannot be written (${(cause as NodeJS.ErrnoException).code}). ` +
          `Set ${Object.keys(settings).join(', ')} yourself.`,
        { cause },
      );
    });
    input.say(
      `The model answers. Its settings are in ${file}, which "start" reads. Restart a running service, so that it uses them.`,
    );
    if (warning !== undefined) input.say(warning);
  };
  return { values: others, finish };
}

/**
 * Tests the model that the environment or the settings file names. Only warns if its server may still have to start.
 *
 * @throws CommandError if a setting is wrong; OperatorError if the settings do not belong together.
 */
export async function testConfiguredModel({ env, say }: CommandInput): Promise<void> {
  checkModelSettings(env);
  const {
    LLM_BASE_URL: baseUrl = openAiUrl,
    LLM_API_KEY: apiKey,
    LLM_MODEL: model = serviceSettings.LLM_MODEL.default ?? '',
  } = readEnvironment(env);
  say(`Testing ${model} at ${baseUrl}…`);
  const names = { address: 'LLM_BASE_URL', key: 'LLM_API_KEY' };
  try {
    const warning = await checkModel({ baseUrl, apiKey, model }, names);
    if (warning !== undefined) say(warning);
  } catch (error) {
    if (!(error instanceof ModelTestError && error.isTemporary)) throw error;
    say(`The model does not answer: ${error.problem} It may still be starting. "start" tests it again.`);
  }
}

/**
 * The environment takes precedence over the settings file, whose model is ignored if the environment has an address or a
 * key. Then "start" would not use the tested model.
 *
 * @throws CommandError
 */
function requireSameInEnvironment(
  settings: Record<string, string | undefined>,
  env: CommandInput['env'],
): void {
  const given = withoutBlank(env);
  const used: CommandInput['env'] = namesModel(given)
    ? { LLM_BASE_URL: openAiUrl, LLM_MODEL: serviceSettings.LLM_MODEL.default, ...given }
    : { ...settings, ...given };
  const names = Object.keys(settings);
  const others = names.filter((name) => (used[name] ?? '') !== (settings[name] ?? ''));
  if (others.length === 0) return;
  const other = others.find((name) => name in given);
  throw new CommandError(
    `The environment has ${other === undefined ? `a model without this ${others.join(', ')}` : `another ${other}`}, which ` +
      `the service would use instead. Unset it, or set all three there: ${names.join(', ')}. Nothing was stored.`,
  );
}

/** Returns the text of the settings file with these settings, and with its other lines. @throws CommandError */
function editSettings(settings: Record<string, string | undefined>): string {
  const text = readSettingsText();
  const all = { ...parseEnv(text), ...settings };
  const edited = replaceLines(text, settings);
  // A value of several lines may have one that looks like a setting. The file is then written without its comments.
  const lines = isDeepStrictEqual(withoutBlank(parseEnv(edited.join('\n'))), withoutBlank(all))
    ? edited
    : replaceLines('', all);
  return `${lines.join('\n')}\n`;
}

/** Replaces the lines of settings, and adds the missing ones at the end. @throws CommandError */
function replaceLines(text: string, settings: Record<string, string | undefined>): string[] {
  const lines = new Map(
    Object.entries(settings).map(([name, value]) => [
      name,
      value === undefined ? [] : [`${name}=${quote(name, value)}`],
    ]),
  );
  const replaced = text.split('\n').flatMap((line) => {
    const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';
    const written = lines.get(name);
    if (written) lines.set(name, []);
    return written ?? [line];
  });
  if (replaced.at(-1) === '') replaced.pop();
  return [...replaced, ...[...lines.values()].flat()];
}

/** Quotes a value so that it is read unchanged: the file's format has no escapes but `\n`. @throws CommandError */
function quote(name: string, value: string): string {
  const candidates = [JSON.stringify(value), `'${value}'`, `\`${value}\``];
  const quoted = candidates.find((text) => parseEnv(`X=${text}`)['X'] === value);
  if (quoted === undefined) throw new CommandError(`The value of ${name} contains every kind of quotes.`);
  return quoted;
}
