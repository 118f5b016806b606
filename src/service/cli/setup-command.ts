import { readEnvironment } from '../read-environment.ts';
import { widgetMessagePrice } from '../billing/prices.ts';
import { storeApiKey } from '../api-key/api-key.ts';
import { EmailTakenError, createUser } from '../user/users.ts';
import { assistantOptions, originOf } from './assistant-commands.ts';
import { askAll } from './ask-all.ts';
import type { Question } from './ask-all.ts';
import { CommandError } from './command.ts';
import type { Command, CommandInput, CommandValues } from './command.ts';
import { invocation } from './invocation.ts';
import { addressProblem, connectModel, modelOptions, testConfiguredModel } from './model-commands.ts';
import { addAssistant, languageProblem, snippetFor } from './new-assistant.ts';
import { emailProblem, nameProblem, readNewUser } from './new-user.ts';

/** Balance of the first user, in USD. Messages are charged in the ledger even if no real money is involved. */
const firstBalance = '1000';
const messages = (Number(firstBalance) / Number(widgetMessagePrice)).toLocaleString('en');

/** The questions, in their order, and the answers to an empty line. */
const questions: readonly Question[] = [
  ['name', 'Your name', undefined, nameProblem],
  ['email', 'Your e-mail address', undefined, emailProblem],
  ['assistant', "The assistant's name", 'Assistant'],
  ['language', 'Its language (en, de, fr, …)', 'en', languageProblem],
];
const modelQuestion: Question = [
  'model-url',
  'Address of an OpenAI-compatible model (empty: answer from documents alone)',
  '',
  addressProblem,
];

export const setupCommand: Command = {
  name: 'setup',
  summary:
    'Makes the first user, API key and assistant, and tests the language model. Asks for what is missing.',
  createsDatabase: true,
  options: {
    name: { value: 'name', description: 'your name' },
    email: { value: 'address', description: 'your e-mail address' },
    assistant: { value: 'name', description: "the assistant's name; Assistant by default" },
    ...assistantOptions,
    ...modelOptions,
    'model-url': {
      ...modelOptions['model-url'],
      description: `${modelOptions['model-url'].description} if a model or a key is given, else none`,
    },
  },
  async prepare(given, input) {
    const asked = await askAll('setup', questions, given, input);
    const isConfigured = isModelInEnvironment(asked, input);
    if (isConfigured) await testConfiguredModel(input);
    const { values, finish } = isConfigured
      ? { values: asked }
      : await connectModel('setup', asked, input, modelQuestion);
    // The service, which may run the rest, was started in another way.
    return { values: { ...values, invocation }, finish };
  },
  async change({ config, database }, values) {
    const { name, email } = readNewUser(values);
    const userId = await createUser(database, { name, email, balance: firstBalance }).catch(
      (error: unknown) => {
        if (!(error instanceof EmailTakenError)) throw error;
        throw new CommandError(
          `${error.message} It can have more assistants ("assistants create") and another model ("model connect").`,
          { cause: error },
        );
      },
    );
    const { id: keyId, key } = await storeApiKey(database.db, userId, 'Setup');
    const assistant = await addAssistant(database, userId, {
      name: values['assistant'] ?? 'Assistant',
      language: values['language'],
      greeting: values['greeting'],
      prompt: values['prompt'],
      timeZone: values['timezone'],
    });
    const snippet = snippetFor(originOf(config), assistant.uuid);
    const program = values['invocation'] ?? invocation;
    return {
      lines: [
        `API key (it cannot be shown again): ${key}`,
        `Assistant: ${assistant.uuid}`,
        `Its id, for requests with the API key: ${assistant.id}`,
        `Balance: ${firstBalance} USD in the service's own ledger, enough for ${messages} messages of visitors. Add to it with`,
        `  ${program} top-up --user ${email} --amount ${firstBalance}`,
        'Show it on a page with this line. To try it, save the line as chat.html and open that file:',
        `  ${snippet}`,
        'Add a document, and start the service if it does not run:',
        `  ${program} documents add --assistant ${assistant.uuid} --file <path>`,
        `  ${program} start`,
      ],
      data: {
        user_id: userId,
        api_key: key,
        assistant_id: assistant.id,
        assistant_uuid: assistant.uuid,
        snippet,
      },
      changed: [
        { userId, object: 'user', objectId: userId },
        { userId, object: 'api-key', objectId: keyId },
        { userId, object: 'assistant', objectId: assistant.id },
      ],
    };
  },
};

/**
 * Whether the environment has a model, and no option describes another one. An address that is typed in would be stored,
 * and the key in the environment sent to it.
 */
function isModelInEnvironment(values: CommandValues, { env, say }: CommandInput): boolean {
  const settings = readEnvironment(env);
  const setting = ['LLM_BASE_URL', 'LLM_API_KEY'].find((name) => settings[name]);
  if (setting === undefined || Object.keys(modelOptions).some((option) => values[option] !== undefined))
    return false;
  say(`${setting} is set, so setup asks for no model.`);
  return true;
}
