import type { JsonSchema } from '../../../src/service/openapi/schemas.ts';

/**
 * Returns the differences between a value and a JSON Schema: wrong types, wrong values, missing fields, and fields that
 * the schema does not list. Recursive schemas (`$ref`) accept any value.
 */
export function schemaProblems(value: unknown, schema: JsonSchema, path = 'the body'): string[] {
  if (schema.$ref !== undefined) return [];
  if (schema.anyOf) {
    const options = schema.anyOf.map((option) => schemaProblems(value, option, path));
    return options.some((problems) => problems.length === 0) ? [] : options.flat();
  }
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types && !types.some((type) => isOf(type, value)))
    return [`${path} is not of type ${types.join(', ')}`];
  if ('const' in schema && value !== schema['const'])
    return [`${path} is not ${JSON.stringify(schema['const'])}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path} is none of ${schema.enum.join(', ')}`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => schemaProblems(item, items, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const known = schema.properties ?? {};
  const acceptsAny = Object.keys(known).length === 0;
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const described = known[name];
      if (described) return schemaProblems(field, described, `${path}.${name}`);
      return acceptsAny ? [] : [`${path}.${name} is not described`];
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
