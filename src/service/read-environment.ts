import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { OperatorError } from './operator-error.ts';

/** Settings that `setup` stores, one `NAME=value` a line, in the folder in which the program starts. */
export const settingsFile = 'voice-assistant-chat.env';

/** The text of that file, empty if there is none. */
export const readSettingsText = (): string =>
  existsSync(settingsFile) ? readFileSync(settingsFile, 'utf8') : '';

/** Removes variables that are empty or blank: they count as unset. */
export const withoutBlank = (env: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value = '']) => value.trim() !== ''));

/** The settings of a language model, which belong together: a key is only for its address. */
const modelSettings = ['LLM_BASE_URL', 'LLM_API_KEY', 'LLM_MODEL'];

/** Whether an environment has a language model of its own. The name of a model alone changes only that of the file. */
export const namesModel = (given: Record<string, string | undefined>): boolean =>
  'LLM_BASE_URL' in given || 'LLM_API_KEY' in given;

/** Returns the settings of the model in that file that are ignored, because the environment names a model itself. */
function ignoredSettings(env: Record<string, string | undefined>): string[] {
  const given = withoutBlank(env);
  if (!namesModel(given)) return [];
  const stored = withoutBlank(parseEnv(readSettingsText()));
  return namesModel(stored) ? modelSettings.filter((name) => name in stored && !(name in given)) : [];
}

/**
 * Returns a warning if settings of the file are ignored.
 *
 * @throws OperatorError if the environment has a key, and only the file an address: the key could be for another one.
 */
export function checkModelSettings(env: Record<string, string | undefined>): string | undefined {
  const ignored = ignoredSettings(env);
  if (ignored.includes('LLM_BASE_URL'))
    throw new OperatorError(
      `LLM_API_KEY is in the environment, but LLM_BASE_URL in ${settingsFile}. Set both in one of them: a key is only for its address.`,
    );
  if (ignored.length === 0) return undefined;
  return `the environment has a model, so ${ignored.join(', ')} in ${settingsFile} are ignored`;
}

/**
 * Adds the settings of that file to the environment, whose own variables take precedence unless they are blank. If it has
 * the address or the key of a language model, that of the file is ignored as a whole; see {@link checkModelSettings}.
 */
export function readEnvironment(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const ignored = ignoredSettings(env);
  const stored = Object.entries(parseEnv(readSettingsText())).filter(([name]) => !ignored.includes(name));
  return withoutBlank({ ...Object.fromEntries(stored), ...withoutBlank(env) });
}
