import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import type { JsonSchema } from '../openapi/schemas.ts';

/** A field of a body, as a row of a table. */
export interface Field {
  /** Path with dots; `[]` is an element of an array. */
  name: string;
  type: string;
  required: boolean;
  /** Bounds, allowed values and the like. */
  rules: string;
}

/** Largest PostgreSQL integer: the bound of every id, not worth documenting. */
const maxInteger = 2_147_483_647;

/** Levels of nesting that are shown; the OpenAPI document has all. */
const maxDepth = 4;

/** Lists the fields of a body in the order of its schema. */
export function listFields(document: OpenApiDocument, schema: JsonSchema): Field[] {
  return listNested(document, schema, '', 0);
}

function listNested(document: OpenApiDocument, given: JsonSchema, path: string, level: number): Field[] {
  const schema = resolve(document, given);
  const items = schema.items;
  if (level > maxDepth) return [];
  if (items !== undefined) return listNested(document, items, `${path}[]`, level);
  const required = new Set(schema.required);
  const properties = Object.entries(schema.properties ?? {});
  return properties.flatMap(([key, property]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const field = { name, required: required.has(key), ...describeType(document, property) };
    return [field, ...listNested(document, unwrapNullable(document, property), name, level + 1)];
  });
}

/** Describes the type and rules of a value. */
export function describeType(document: OpenApiDocument, given: JsonSchema): Pick<Field, 'type' | 'rules'> {
  const schema = unwrapNullable(document, given);
  const isNullable = schema !== resolve(document, given) || [schema.type].flat().includes('null');
  const items = schema.items;
  const types = [schema.type ?? 'any'].flat().filter((type) => type !== 'null');
  const type = items === undefined ? types.join(' or ') : `array of ${describeType(document, items).type}`;
  return { type: isNullable ? `${type} or null` : type, rules: rulesOf(schema).join(', ') };
}

function rulesOf(schema: JsonSchema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern, format, enum: values } = schema;
  const bounds = (unit: string, low?: number, high?: number) => {
    if (low === undefined && high === undefined) return [];
    if (low === undefined) return [`at most ${high}${unit}`];
    if (high === undefined) return [`at least ${low}${unit}`];
    return [`${low} to ${high}${unit}`];
  };
  return [
    ...(values ? [values.map(String).join(', ')] : []),
    ...('const' in schema ? [`always ${JSON.stringify(schema['const'])}`] : []),
    ...(maximum === maxInteger ? [] : bounds('', minimum, maximum)),
    ...bounds(' characters', minLength, maxLength),
    ...bounds(' items', undefined, maxItems),
    ...(format !== undefined ? [format] : []),
    // A format is easier to read.
    ...(pattern !== undefined && format === undefined ? [`matches ${pattern}`] : []),
  ];
}

function resolve(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const reference = schema.$ref;
  if (reference === undefined) return schema;
  return resolve(
    document,
    document.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {},
  );
}

/** The schema of a nullable value without null. */
function unwrapNullable(document: OpenApiDocument, given: JsonSchema): JsonSchema {
  const schema = resolve(document, given);
  const options = schema.anyOf;
  const others = options?.filter((option) => option.type !== 'null') ?? [];
  return options !== undefined && others.length === 1 ? resolve(document, others[0] ?? {}) : schema;
}
