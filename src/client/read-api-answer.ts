import type * as z from 'zod/mini';

type Schema = z.core.$ZodType;

/**
 * Reads a successful response liberally: missing fields stay missing, unknown fields are kept, numbers may be decimal
 * strings, and a list may be wrapped in `data`.
 *
 * @returns undefined if the response is not an object or a list, whichever the operation returns
 */
export function readApiAnswer(schema: Schema, answer: unknown): unknown {
  const expectsList = definitionOf(schema).type === 'array';
  const list = isObject(answer) ? answer['data'] : answer;
  if (expectsList) return Array.isArray(list) ? withNumbers(schema, list) : undefined;
  // PHP encodes an empty object as an empty list.
  if (Array.isArray(answer) && answer.length === 0) return {};
  return isObject(answer) ? withNumbers(schema, answer) : undefined;
}

/** Converts decimal strings where the schema has a number. */
function withNumbers(schema: Schema, value: unknown): unknown {
  const definition = definitionOf(schema);
  if (definition.type === 'number') {
    return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  }
  if (definition.type === 'optional' || definition.type === 'nullable') {
    return withNumbers(definition.innerType, value);
  }
  if (definition.type === 'array') {
    return Array.isArray(value) ? value.map((item) => withNumbers(definition.element, item)) : value;
  }
  if (definition.type !== 'object' || !isObject(value)) return value;
  const known = Object.entries(definition.shape).filter(([name]) => Object.hasOwn(value, name));
  return {
    ...value,
    ...Object.fromEntries(known.map(([name, field]) => [name, withNumbers(field, value[name])])),
  };
}

const definitionOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
