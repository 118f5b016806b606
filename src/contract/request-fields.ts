import * as z from 'zod/mini';
import { countCharacters, recordLimits } from './limits.ts';

/*
 * What the requests below `/api/user` are made of. A message of a schema is the end of a sentence that begins with
 * "The <name> field", so that one rule reads well on every field. Numbers and booleans may come as the text of
 * them: our own answers write decimals as strings and some booleans as 0 and 1, and a query has nothing but text.
 */

const { listed, page, phoneDigits, url, variables } = recordLimits;

const numberFrom = (value: unknown) =>
  typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;

const booleanFrom = (value: unknown) => {
  if (value === 1 || value === '1' || value === 'true') return true;
  return value === 0 || value === '0' || value === 'false' ? false : value;
};

/** A schema that reads from anything what it calls its own. */
const from = <Value>(read: (value: unknown) => unknown, schema: z.ZodMiniType<Value>) =>
  z.pipe(z.transform(read), schema) as unknown as z.ZodMiniType<Value, Value>;

/** A bound of text or numbers. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const integer = ({ min, max }: Bounds) =>
  from(numberFrom, z.int().check(z.minimum(min), z.maximum(max)));

export const decimal = ({ min, max }: Bounds) =>
  from(numberFrom, z.number().check(z.minimum(min), z.maximum(max)));

export const flag = () => from(booleanFrom, z.boolean());

/** The id of a record: PostgreSQL's integers. */
export const id = () => integer({ min: 1, max: 2_147_483_647 });

/** A list of at most `max` items. */
export const list = <Item extends z.ZodMiniType>(item: Item, max: number = listed) =>
  atMost(max, `must not have more than ${max} items.`, z.array(item).check(z.maxLength(max)));

/** Ids of records. */
export const ids = () => list(id());

/** Text that may be empty. */
export const text = (max: number) =>
  z
    .string()
    .register(z.globalRegistry, { maxLength: max })
    .check(z.refine((value) => countCharacters(value) <= max, `must not be greater than ${max} characters.`));

/** Text of which something is left when the white space around it is taken away. */
export const filledText = (max: number) =>
  text(max)
    .register(z.globalRegistry, { minLength: 1, maxLength: max })
    .check(z.refine((value) => value.trim() !== '', 'is required.'));

/** Text that is no shorter and no longer. */
export const boundedText = ({ min, max }: Bounds) =>
  text(max)
    .register(z.globalRegistry, { minLength: min, maxLength: max })
    .check(z.refine((value) => countCharacters(value) >= min, `must be at least ${min} characters.`));

/** Text of a fixed form. `what` ends the sentence "The <name> field …". */
export const patternText = (pattern: RegExp, what: string) =>
  z
    .string()
    .register(z.globalRegistry, { pattern: pattern.source })
    .check(z.refine((value) => pattern.test(value), what));

export const webAddress = () =>
  text(url)
    .register(z.globalRegistry, { format: 'uri', maxLength: url })
    .check(z.refine(isWebAddress, 'must be a valid URL that begins with http:// or https://.'));

const webUrl = z.url({ protocol: /^https?$/ });

function isWebAddress(value: string): boolean {
  return webUrl.safeParse(value).success;
}

const numberPattern = new RegExp(`^\\+[1-9]\\d{${phoneDigits.min - 1},${phoneDigits.max - 1}}$`);

/** Ends the sentence "The <name> …" about a phone number that is refused. */
export const e164Rule = `must be in E.164 format: a plus sign and ${phoneDigits.min} to ${phoneDigits.max} digits, such as +4915112345678.`;

const noNumber = e164Rule.replace('must be', 'must be a phone number');

/** Removes the characters that people put between digits. */
const plainNumber = (value: unknown) => (typeof value === 'string' ? value.replace(/[\s().-]/g, '') : value);

/** Whether it is a phone number in E.164 format, with nothing around or between its digits. */
export const isPhoneNumber = (value: unknown): value is string =>
  typeof value === 'string' && numberPattern.test(value);

/** A phone number in E.164 format. Spaces, dots, hyphens and parentheses between its digits are removed. */
export const phoneNumber = () => from(plainNumber, patternText(numberPattern, noNumber));

/** Requires an E.164 number in the field `phone_number` of entries of one type. */
export const needsNumber = (type: string) =>
  z.check(
    ({ value: entry, issues }) => {
      const { type: given, phone_number: number } = (entry ?? {}) as Record<string, unknown>;
      if (given !== type || isPhoneNumber(number)) return;
      const isMissing = number === undefined || number === null || number === '';
      const message = isMissing ? `is required when type is ${type}.` : noNumber;
      issues.push({ code: 'custom', input: number, path: ['phone_number'], message });
    },
    { when: () => true },
  );

/** Digits that a phone number has somewhere. A plus sign in a query means a space, so it and its like are left out. */
export const digitsOf = () =>
  from(
    (value) => (typeof value === 'string' ? value.replace(/[\s().+-]/g, '') : value),
    patternText(new RegExp(`^\\d{1,${phoneDigits.max}}$`), `must have 1 to ${phoneDigits.max} digits.`),
  );

/** Name of a time zone, such as `Europe/Berlin`. */
export const timeZone = () => z.string().check(z.refine(isTimeZone, 'must be a valid timezone.'));

function isTimeZone(value: string): boolean {
  if (!/^[a-z]/i.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** `YYYY-MM-DD`, a day that the calendar has; it begins with the year 1, and databases know no year 0. */
export const day = () =>
  patternText(/^\d{4}-\d{2}-\d{2}$/, 'must match the format YYYY-MM-DD.').check(
    z.refine(
      (value) =>
        !/^\d{4}-\d{2}-\d{2}$/.test(value) ||
        (value >= '0001' &&
          !Number.isNaN(Date.parse(value)) &&
          new Date(value).toISOString().startsWith(value)),
      'must be a day of the calendar.',
    ),
  );

/** Reads an object; PHP writes one without keys as `[]`. */
export const objectOf = <Value>(schema: z.ZodMiniType<Value>) => from(objectFrom, schema);

const objectFrom = (value: unknown) => (Array.isArray(value) && value.length === 0 ? {} : value);

/**
 * Limits the entries of an object or a list. They are counted before the schema checks each of them: that takes 200 ms
 * for 90,000, which fit into one request.
 */
export const atMost = <Value>(max: number, message: string, schema: z.ZodMiniType<Value>) =>
  z.pipe(
    z.transform((value: unknown, { issues }) => {
      const isCountable = typeof value === 'object' && value !== null;
      if (isCountable && Object.keys(value).length > max)
        issues.push({ code: 'custom', input: value, message });
      return value;
    }),
    schema,
  ) as unknown as z.ZodMiniType<Value, Value>;

/** Key/value pairs for `{{variable_name}}`. */
export const variablesField = () =>
  objectOf(atMost(variables.count, `must not have more than ${variables.count} items.`, checkedVariables));

/** The bounds of variables for the documentation; JSON Schema cannot express the checks below. */
export const variablesBounds = {
  maxProperties: variables.count,
  propertyNames: { type: 'string', maxLength: variables.nameCharacters },
  description: `A value may have at most ${variables.valueCharacters} characters, as JSON unless it is text.`,
};

const checkedVariables = z
  .record(z.string(), z.json())
  .register(z.globalRegistry, variablesBounds)
  .check(
    z.refine(
      (all) => Object.keys(all).every((name) => countCharacters(name) <= variables.nameCharacters),
      `must not have names greater than ${variables.nameCharacters} characters.`,
    ),
    z.refine(
      (all) =>
        Object.values(all).every(
          (value) =>
            countCharacters(typeof value === 'string' ? value : JSON.stringify(value)) <=
            variables.valueCharacters,
        ),
      `must not have values greater than ${variables.valueCharacters} characters.`,
    ),
  );

/** The query of a list with pages. */
export const pageQuery = {
  page: z.optional(integer({ min: 1, max: page.number })),
  per_page: z.optional(integer({ min: 1, max: page.size })),
};

/** A shape whose fields may all be absent. `null` stands for an absent one. */
export type Nullish<Shape extends Record<string, z.ZodMiniType>> = {
  [Name in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Name]>>;
};

export function nullish<Shape extends Record<string, z.ZodMiniType>>(shape: Shape): Nullish<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, z.nullish(schema)]),
  ) as Nullish<Shape>;
}
