import type OpenAI from 'openai';
import { fitText } from '../../lib/storable.ts';
import type { PageTool } from '../engine.ts';

type Tool = OpenAI.Chat.Completions.ChatCompletionTool;
type Parameter = PageTool['parameters'][number];

/** A call as a model wrote it. */
export interface WrittenCall {
  id: string;
  name: string;
  /** JSON, if the model kept to it. */
  arguments: string;
}

const jsonTypes = { string: 'string', number: 'number', bool: 'boolean' } as const;

/** Functions in the words of OpenAI's protocol. */
export function describeTools(tools: Pick<PageTool, 'name' | 'description' | 'parameters'>[]): Tool[] {
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

/** What a call gives a function: arguments that fit, or why they do not, in words for the model. */
export type ReadArguments = { given: Record<string, unknown> } | { told: string };

/**
 * Checks what a model wrote against the parameters of a function. What nobody declared is left out.
 *
 * @param options.limit longest arguments, in characters of JSON.
 * @param options.coerce whether `"7"` will do for a number, and the like.
 */
export function readArguments(
  call: WrittenCall,
  parameters: Parameter[],
  { limit, coerce }: { limit: number; coerce: boolean },
): ReadArguments {
  if (call.arguments.length > limit) {
    return { told: `The arguments are longer than ${limit} characters. Nothing was run.` };
  }
  const object = parseObject(call.arguments);
  if (!object) return { told: 'The arguments are not a JSON object. Nothing was run.' };
  const given: Record<string, unknown> = {};
  for (const { name, type, required } of parameters) {
    const value = Object.hasOwn(object, name) ? object[name] : null;
    if (value === null || value === undefined) {
      if (required) return { told: `The argument "${name}" is missing. Nothing was run.` };
      continue;
    }
    const fitting = coerce ? coerceTo(type, value) : value;
    if (typeof fitting !== jsonTypes[type]) {
      return { told: `The argument "${name}" must be a ${jsonTypes[type]}. Nothing was run.` };
    }
    given[name] = fitting;
  }
  return { given };
}

/** The value in another type where that says the same; otherwise as it is. */
function coerceTo(type: Parameter['type'], value: unknown): unknown {
  if (type === 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : value;
  return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : value;
}

/** PostgreSQL can store neither null characters nor half an emoji. */
const storable = (_: string, value: unknown) => (typeof value === 'string' ? fitText(value) : value);

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
