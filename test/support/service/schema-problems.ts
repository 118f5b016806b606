import type { JsonSchema } from '../../../src/service/openapi/schemas.ts';

/**
 * What of a value a JSON Schema does not describe: wrong types and values, fields that are missing, and fields that it
 * does not name, as nobody who reads the description would look for those. What contains itself may be anything.
 */
export function schemaProblems(value: unknown, schema: JsonSchema, place = 'the body'): string[] {
  if (schema.$ref !== undefined) return [];
  if (schema.anyOf) {
    const found = schema.anyOf.map((option) => schemaProblems(value, option, place));
    return found.some((problems) => problems.length === 0) ? [] : found.flat();
  }
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types && !types.some((type) => isOf(type, value)))
    return [`${place} is not of type ${types.join(', ')}`];
  if ('const' in schema && value !== schema['const'])
    return [`${place} is not ${JSON.stringify(schema['const'])}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${place} is none of ${schema.enum.join(', ')}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => schemaProblems(item, items, `${place}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const known = schema.properties ?? {};
  const isFree = Object.keys(known).length === 0;
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${place}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const described = known[name];
      if (described) return schemaProblems(field, described, `${place}.${name}`);
      return isFree ? [] : [`${place}.${name} is not described`];
    }),
  ];
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
