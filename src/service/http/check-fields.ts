import type * as z from 'zod/mini';
import { sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';
import { storable, unstorable } from '../lib/storable.ts';

/** The valid fields of an object, and the errors of the others. */
export interface CheckedFields<Fields> {
  fields: Partial<Fields>;
  errors: FieldErrors;
}

/**
 * Checks an object field by field, so that every error is reported and rules that query the database can use the valid
 * fields. Unknown fields are dropped.
 */
export function checkFields<Schema extends z.ZodMiniObject>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): CheckedFields<z.infer<Schema>> {
  const fields: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  const fail = (field: string, message: string) => {
    const messages = (errors[field] ??= []);
    if (!messages.includes(message)) messages.push(message);
  };
  for (const [name, fieldSchema] of Object.entries(schema.shape)) {
    const value = Object.hasOwn(given, name) ? storable(given[name]) : undefined;
    if (value === unstorable) {
      fail(name, sentence(name, 'must not contain null characters.'));
      continue;
    }
    const parsed = parseField(fieldSchema as z.ZodMiniType, value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const field = [name, ...issue.path].join('.');
        fail(field, sentence(field, describeIssue(issue)));
      }
    } else if (parsed.data !== undefined) {
      fields[name] = parsed.data;
    }
  }
  return { fields: fields as Partial<z.infer<Schema>>, errors };
}

/** An empty string counts as null where a field accepts null, but not the string: forms send it for empty fields. */
function parseField(schema: z.ZodMiniType, value: unknown) {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success || value !== '') return parsed;
  const empty = schema.safeParse(null);
  return empty.success ? empty : parsed;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** Describes an issue: the rest of a sentence that begins with the field. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  if (issue.code === 'custom') return issue.message;
  if (input === undefined || input === null) return 'is required.';
  if (issue.code === 'invalid_type')
    return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}.`;
  if (issue.code === 'invalid_value') return 'selected is invalid.';
  if (issue.code === 'too_small') return `must be at least ${Number(issue.minimum)}.`;
  if (issue.code !== 'too_big') return 'is invalid.';
  return issue.origin === 'array'
    ? `must not have more than ${Number(issue.maximum)} items.`
    : `must not be greater than ${Number(issue.maximum)}.`;
}
