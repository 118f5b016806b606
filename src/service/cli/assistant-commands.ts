import { listAllAssistants } from '../assistant/list-assistants.ts';
import type { Config } from '../config.ts';
import { UsageError } from './command.ts';
import type { Command } from './command.ts';
import { findUser, userOption } from './find-user.ts';
import { addAssistant, snippetFor } from './new-assistant.ts';
import { table } from './table.ts';

/** The options that describe a new assistant, besides its name. */
export const assistantOptions = {
  language: { value: 'code', description: 'its language, such as en or de; en by default' },
  greeting: { value: 'text', description: 'its first message' },
  prompt: { value: 'text', description: 'its instructions (system prompt)' },
  timezone: {
    value: 'name',
    description: 'its time zone, such as Europe/Berlin; that of this machine by default',
  },
} as const;

const types = ['inbound', 'outbound'] as const;

/** The address at which pages reach the service, as far as the settings say. */
export const originOf = ({ publicUrl, port }: Config): string => publicUrl ?? `http://localhost:${port}`;

export const createAssistantCommand: Command = {
  name: 'assistants create',
  summary:
    "Creates an assistant for a website's chat, or for calls to customers; prints its UUID and the snippet for pages.",
  options: {
    user: userOption,
    name: { value: 'name', description: "the assistant's name", required: true },
    type: {
      value: types.join('|'),
      description:
        'outbound, to call customers, or inbound, for chats and calls from customers; inbound by default',
    },
    ...assistantOptions,
  },
  async change({ config, database }, values) {
    const type = types.find((each) => each === (values['type'] ?? 'inbound'));
    if (!type) throw new UsageError(`--type must be ${types.join(' or ')}.`);
    const { id: userId } = await findUser(database.db, values['user']);
    const { id, uuid, name } = await addAssistant(database, userId, {
      name: values['name'] ?? '',
      type,
      language: values['language'],
      greeting: values['greeting'],
      prompt: values['prompt'],
      timeZone: values['timezone'],
    });
    const snippet = snippetFor(originOf(config), uuid);
    return {
      lines: [
        `Created assistant ${uuid}. Its id is ${id}.`,
        ...(type === 'inbound' ? ['Show it on a page with:', `  ${snippet}`] : []),
      ],
      data: { id, uuid, name, snippet },
      changed: [{ userId, object: 'assistant', objectId: id }],
    };
  },
};

export const listAssistantsCommand: Command = {
  name: 'assistants list',
  summary: "Lists a user's assistants.",
  options: { user: userOption },
  async run({ database }, values) {
    const { id } = await findUser(database.db, values['user']);
    const found = (await listAllAssistants(database, id)).map((assistant) => ({
      uuid: assistant.uuid,
      id: assistant.id,
      name: assistant.name,
      knowledgebase_id: assistant.knowledgebase_id,
    }));
    return {
      lines: table(
        ['uuid', 'id', 'name', 'knowledge base'],
        found.map(({ uuid, id, name, knowledgebase_id: base }) => [uuid, id, name, base ?? 'none']),
      ),
      data: found,
    };
  },
};
