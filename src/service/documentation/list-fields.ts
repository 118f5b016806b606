import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import type { JsonSchema } from '../openapi/schemas.ts';

/** A field of a body, as a line of a table. */
export interface Field {
  /** Nested ones with dots; `[]` stands for each element of a list. */
  name: string;
  type: string;
  required: boolean;
  /** Bounds, allowed values and the like. */
  rules: string;
}

/** Of PostgreSQL's integers: the bound of every id, which says nothing. */
const highestId = 2_147_483_647;

/** How deep bodies are shown; the document itself has everything. */
const depth = 4;

/** Lists the fields of a body in the order of its schema. */
export function listFields(document: OpenApiDocument, schema: JsonSchema): Field[] {
  return fieldsBelow(document, schema, '', 0);
}

function fieldsBelow(document: OpenApiDocument, given: JsonSchema, above: string, level: number): Field[] {
  const schema = resolve(document, given);
  const items = schema.items;
  if (level > depth) return [];
  if (items !== undefined) return fieldsBelow(document, items, `${above}[]`, level);
  const required = new Set(schema.required);
  const properties = Object.entries(schema.properties ?? {});
  return properties.flatMap(([key, property]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const field = { name, required: required.has(key), ...describeType(document, property) };
    return [field, ...fieldsBelow(document, notNull(document, property), name, level + 1)];
  });
}

/** Type and rules of a value in words. */
export function describeType(document: OpenApiDocument, given: JsonSchema): Pick<Field, 'type' | 'rules'> {
  const schema = notNull(document, given);
  const isNullable = schema !== resolve(document, given) || [schema.type].flat().includes('null');
  const items = schema.items;
  const plain = [schema.type ?? 'any'].flat().filter((type) => type !== 'null');
  const type = items === undefined ? plain.join(' or ') : `array of ${describeType(document, items).type}`;
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
    ...(maximum === highestId ? [] : bounds('', minimum, maximum)),
    ...bounds(' characters', minLength, maxLength),
    ...bounds(' items', undefined, maxItems),
    ...(format !== undefined ? [format] : []),
    // A format says it better.
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

/** What a value is when it is not null. */
function notNull(document: OpenApiDocument, given: JsonSchema): JsonSchema {
  const schema = resolve(document, given);
  const options = schema.anyOf;
  const others = options?.filter((option) => option.type !== 'null') ?? [];
  return options !== undefined && others.length === 1 ? resolve(document, others[0] ?? {}) : schema;
}
