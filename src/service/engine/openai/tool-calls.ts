import type OpenAI from 'openai';
import { fitText } from '../../lib/storable.ts';
import type { PageTool } from '../engine.ts';

type Tool = OpenAI.Chat.Completions.ChatCompletionTool;
type Parameter = PageTool['parameters'][number];

/** A tool call by a model. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON, unless the model made a mistake. */
  arguments: string;
  /** The signature that Gemini requires back with the call. */
  extraContent?: unknown;
}

const jsonTypes = { string: 'string', number: 'number', bool: 'boolean' } as const;

/** Converts tools to OpenAI's protocol. */
export function toOpenAiTools(tools: Pick<PageTool, 'name' | 'description' | 'parameters'>[]): Tool[] {
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

/** Arguments that match a function's parameters, or an explanation for the model. */
export type ParsedArguments = { values: Record<string, unknown> } | { error: string };

/**
 * Checks the arguments of a call against a function's parameters. Undeclared arguments are dropped.
 *
 * @param options.limit longest arguments, in characters of JSON.
 * @param options.coerce whether to convert values of another type, such as `"7"` for a number.
 */
export function parseArguments(
  call: ToolCall,
  parameters: Parameter[],
  { limit, coerce }: { limit: number; coerce: boolean },
): ParsedArguments {
  if (call.arguments.length > limit) {
    return { error: `The arguments are longer than ${limit} characters. Nothing was run.` };
  }
  const object = parseObject(call.arguments);
  if (!object) return { error: 'The arguments are not a JSON object. Nothing was run.' };
  const given: Record<string, unknown> = {};
  for (const { name, type, required } of parameters) {
    const value = Object.hasOwn(object, name) ? object[name] : null;
    if (value === null || value === undefined) {
      if (required) return { error: `The argument "${name}" is missing. Nothing was run.` };
      continue;
    }
    const coerced = coerce ? coerceTo(type, value) : value;
    if (typeof coerced !== jsonTypes[type]) {
      return { error: `The argument "${name}" must be a ${jsonTypes[type]}. Nothing was run.` };
    }
    given[name] = coerced;
  }
  return { values: given };
}

/** The converted value, or the value itself if it cannot be converted. */
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

/** Returns the arguments of a call, or undefined if they are not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // Some models send an empty string for a function without parameters.
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text, storable);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
