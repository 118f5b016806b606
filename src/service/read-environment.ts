import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Settings that `setup` stores, one `NAME=value` a line, in the folder in which the program starts. */
export const settingsFile = 'voice-assistant-chat.env';

/** The text of that file, empty if there is none. */
export const readSettingsText = (): string =>
  existsSync(settingsFile) ? readFileSync(settingsFile, 'utf8') : '';

/** Removes variables that are empty or blank: they count as unset. */
export const withoutBlank = (env: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value = '']) => value.trim() !== ''));

/** Adds the settings of that file to the environment, whose own variables take precedence unless they are blank. */
export const readEnvironment = (
  env: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  withoutBlank({
    ...parseEnv(readSettingsText()),
    ...withoutBlank(env),
  });
