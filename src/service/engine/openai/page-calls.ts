import type OpenAI from 'openai';
import { toolLimits } from '../../../contract/tool-limits.ts';
import type { PageTool, ReplyEvent } from '../engine.ts';

type Tool = OpenAI.Chat.Completions.ChatCompletionTool;

/** A call as a model wrote it. */
export interface WrittenCall {
  id: string;
  name: string;
  /** JSON, if the model kept to it. */
  arguments: string;
}

/** Calls of one answer that reach the page: as many results fit into its next message. */
export const callLimit = toolLimits.toolResults.count;

/** Longest arguments of a call, in characters of JSON: its result has to fit beside them. */
const argumentsLength = toolLimits.toolResults.characters / 2;

const jsonTypes = { string: 'string', number: 'number', bool: 'boolean' } as const;

/** The tools of a page in the words of OpenAI's protocol. */
export function describeTools(tools: PageTool[]): Tool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map((parameter) => [
            parameter.name,
            { type: jsonTypes[parameter.type], description: parameter.description },
          ]),
        ),
        required: parameters.filter(({ required }) => required).map((parameter) => parameter.name),
        additionalProperties: false,
      },
    },
  }));
}

/** What becomes of a call: what the page is asked for, if anything, and what the model is told. */
export function takeCall(call: WrittenCall, tools: PageTool[]): { event?: ReplyEvent; told: string } {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return { told: 'There is no such function. Nothing was run.' };
  if (call.arguments.length > argumentsLength) {
    return { told: `The arguments are longer than ${argumentsLength} characters. Nothing was run.` };
  }
  const given = parseObject(call.arguments);
  if (!given) return { told: 'The arguments are not a JSON object. Nothing was run.' };
  const fitting: Record<string, unknown> = {};
  for (const { name, type, required } of tool.parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    if (value === null || value === undefined) {
      if (required) return { told: `The argument "${name}" is missing. Nothing was run.` };
    } else if (typeof value !== jsonTypes[type]) {
      return { told: `The argument "${name}" must be a ${jsonTypes[type]}. Nothing was run.` };
    } else {
      fitting[name] = value;
    }
  }
  return {
    event: { type: 'function_call', name: tool.name, arguments: fitting, client: true },
    told:
      "The visitor's page was asked to run this. The result is not known yet: it comes with the visitor's next message. " +
      'Go on without it, and do not claim that it worked.',
  };
}

/** PostgreSQL can store neither null characters nor half an emoji. */
const storable = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // For a function without parameters some models write nothing at all.
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text, storable);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
