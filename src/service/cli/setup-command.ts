import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { widgetMessagePrice } from '../billing/prices.ts';
import { storeApiKey } from '../api-key/api-key.ts';
import { EmailTakenError, createUser } from '../user/users.ts';
import { readSettingsFile, settingsFile } from '../read-environment.ts';
import { assistantOptions, originOf } from './assistant-commands.ts';
import { checkModel } from './check-model.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandInput, CommandValues } from './command.ts';
import { addAssistant, snippetFor } from './new-assistant.ts';

/** Balance of the first user, in USD. Messages are charged in the ledger even if no real money is involved. */
const firstBalance = '1000';
const messages = (Number(firstBalance) / Number(widgetMessagePrice)).toLocaleString('en');

/** The questions, in their order, and the answers to an empty line. */
const questions: [option: string, question: string, fallback: string | undefined][] = [
  ['name', 'Your name', undefined],
  ['email', 'Your e-mail address', undefined],
  ['assistant', "The assistant's name", 'Assistant'],
  ['language', 'Its language (en, de, fr, …)', 'en'],
  ['model-url', 'Address of an OpenAI-compatible model (empty: answer from documents alone)', ''],
];

const modelQuestions: typeof questions = [
  ['model', 'The name of the model', undefined],
  ['model-key', 'Its API key (empty: none)', ''],
];

export const setupCommand: Command = {
  name: 'setup',
  summary:
    'Makes the first user, API key and assistant, and tests the language model. Asks for what is missing.',
  options: {
    name: { value: 'name', description: 'your name' },
    email: { value: 'address', description: 'your e-mail address' },
    assistant: { value: 'name', description: "the assistant's name; Assistant by default" },
    ...assistantOptions,
    'model-url': {
      value: 'address',
      description: 'OpenAI-compatible endpoint, such as http://localhost:11434/v1; none by default',
    },
    model: { value: 'name', description: 'its model, such as gpt-4.1-mini' },
    'model-key': { value: 'key', description: 'its API key' },
  },
  async prepare(given, input) {
    let values = await askAll(questions, given, input);
    const baseUrl = values['model-url'] ?? '';
    if (baseUrl === '') return values;
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`"${baseUrl}" is not an http or https address.`);
    }
    values = await askAll(modelQuestions, values, input);
    const { 'model-key': key, ...rest } = values;
    const model = { baseUrl, apiKey: key === '' ? undefined : key, model: values['model'] ?? '' };
    input.say(`Testing ${model.model}…`);
    await checkModel(model);
    const file = await storeSettings({
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: model.model,
      LLM_API_KEY: model.apiKey,
    });
    input.say(`The model answers. Its settings are in ${file}, which "start" reads.`);
    // The key stays in this process.
    return rest;
  },
  async change({ config, database }, values) {
    const [name, email] = [values['name'] ?? '', values['email'] ?? ''];
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`"${email}" is not an e-mail address.`);
    const userId = await createUser(database, { name, email, balance: firstBalance }).catch(
      (error: unknown) => {
        throw error instanceof EmailTakenError ? new CommandError(error.message, { cause: error }) : error;
      },
    );
    const { id: keyId, key } = await storeApiKey(database.db, userId, 'Setup');
    const assistant = await addAssistant(database, userId, {
      name: values['assistant'] ?? 'Assistant',
      language: values['language'],
      greeting: values['greeting'],
      prompt: values['prompt'],
    });
    const snippet = snippetFor(originOf(config), assistant.uuid);
    return {
      lines: [
        `API key (it cannot be shown again): ${key}`,
        `Assistant: ${assistant.uuid}`,
        `Balance: ${firstBalance} USD in the service's own ledger, enough for ${messages} messages of visitors. Add to it with`,
        `  npx voice-assistant-chat-service top-up --user ${email} --amount ${firstBalance}`,
        'Show it on a page with this line. To try it, save the line as chat.html and open that file:',
        `  ${snippet}`,
        'Add a document, and start the service:',
        `  npx voice-assistant-chat-service documents add --assistant ${assistant.uuid} --file <path>`,
        '  npx voice-assistant-chat-service start',
      ],
      data: { user_id: userId, api_key: key, assistant_uuid: assistant.uuid, snippet },
      changed: [
        { userId, object: 'user', objectId: userId },
        { userId, object: 'api-key', objectId: keyId },
        { userId, object: 'assistant', objectId: assistant.id },
      ],
    };
  },
};

/** Sets settings in the settings file and keeps its other ones. Returns the file's path. @throws CommandError */
async function storeSettings(settings: Record<string, string | undefined>): Promise<string> {
  const file = resolve(settingsFile);
  const others = readSettingsFile();
  const lines = Object.entries({ ...others, ...settings }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${JSON.stringify(value)}`],
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

/** Asks for the values that are missing. @throws UsageError without a terminal. */
async function askAll(
  asked: typeof questions,
  given: CommandValues,
  { ask }: CommandInput,
): Promise<CommandValues> {
  const values = { ...given };
  for (const [option, question, fallback] of asked) {
    if (values[option] !== undefined) continue;
    const isOptional = fallback !== undefined;
    if (!ask && !isOptional) throw new UsageError(`setup: --${option} is required.`);
    let answer = '';
    while (ask && answer === '') {
      const suggestion = isOptional && fallback !== '' ? ` [${fallback}]` : '';
      answer = (await ask(`${question}${suggestion}: `)).trim();
      if (isOptional) break;
    }
    values[option] = answer === '' ? (fallback ?? '') : answer;
  }
  return values;
}
