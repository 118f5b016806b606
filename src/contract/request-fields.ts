import * as z from 'zod/mini';
import { countCharacters, recordLimits } from './limits.ts';
import { isVerifiedName } from './user-token.ts';

/*
 * Schemas for the fields of requests below `/api/user`. Their error messages omit the beginning, "The <name> field".
 * Numbers and booleans are also accepted as strings: our own responses write decimals as strings and some booleans as 0
 * and 1, and a query has only strings.
 */

const { listItems, page, phoneDigits, url, variables } = recordLimits;

const numberFrom = (value: unknown) =>
  typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;

const booleanFrom = (value: unknown) => {
  if (value === 1 || value === '1' || value === 'true') return true;
  return value === 0 || value === '0' || value === 'false' ? false : value;
};

/** Converts the value before the schema checks it. */
const preprocess = <Value>(read: (value: unknown) => unknown, schema: z.ZodMiniType<Value>) =>
  z.pipe(z.transform(read), schema) as unknown as z.ZodMiniType<Value, Value>;

/** The bounds of a number or of the length of a string. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const integer = ({ min, max }: Bounds) =>
  preprocess(numberFrom, z.int().check(z.minimum(min), z.maximum(max)));

export const decimal = (bounds: Bounds) => preprocess(numberFrom, boundedNumber(bounds));

/** A number or null. Must be given: zod's JSON Schema does not require the field with `z.nullable(decimal(…))`. */
export const nullableDecimal = (bounds: Bounds) => preprocess(numberFrom, z.nullable(boundedNumber(bounds)));

const boundedNumber = ({ min, max }: Bounds) => z.number().check(z.minimum(min), z.maximum(max));

export const flag = () => preprocess(booleanFrom, z.boolean());

/** The highest id of a record: the end of the range of PostgreSQL's `integer`. */
const maxId = 2_147_483_647;

/** The id of a record. Higher numbers become the highest id, since a record that cannot exist is not found either. */
export const id = () =>
  preprocess(
    (value) => {
      const number = numberFrom(value);
      return typeof number === 'number' ? Math.min(number, maxId) : number;
    },
    z.int().check(z.minimum(1), z.maximum(maxId)),
  );

/** A list of at most `max` items. */
export const list = <Item extends z.ZodMiniType>(item: Item, max: number = listItems) =>
  atMost(max, `must not have more than ${max} items.`, z.array(item).check(z.maxLength(max)));

/** Whether no two items have the same name. */
export const haveUniqueNames = (items: readonly { name: string }[]): boolean =>
  new Set(items.map(({ name }) => name)).size === items.length;

/** Ids of records. */
export const ids = () => list(id());

/** A string that may be empty. */
export const text = (max: number) =>
  z
    .string()
    .register(z.globalRegistry, { maxLength: max })
    .check(z.refine((value) => countCharacters(value) <= max, `must not be greater than ${max} characters.`));

/** A string with at least one character other than white space. */
export const nonBlankText = (max: number) =>
  text(max)
    .register(z.globalRegistry, { minLength: 1, maxLength: max })
    .check(z.refine((value) => value.trim() !== '', 'is required.'));

/** A string with a minimum and a maximum length. */
export const boundedText = ({ min, max }: Bounds) =>
  text(max)
    .register(z.globalRegistry, { minLength: min, maxLength: max })
    .check(z.refine((value) => countCharacters(value) >= min, `must be at least ${min} characters.`));

/** A string that matches a pattern. `rule` completes the sentence "The <name> field …". */
export const patternText = (pattern: RegExp, rule: string) =>
  z
    .string()
    .register(z.globalRegistry, { pattern: pattern.source })
    .check(z.refine((value) => pattern.test(value), rule));

/** An http or https URL. */
export const httpUrl = () =>
  text(url)
    .register(z.globalRegistry, { format: 'uri', maxLength: url })
    .check(z.refine(isHttpUrl, 'must be a valid URL that begins with http:// or https://.'));

/** An origin as in an `Origin` header; `*.` before a host matches its subdomains. */
export const originPattern = () =>
  patternText(
    /^https?:\/\/(\*\.)?[a-z0-9]([a-z0-9.-]{0,240}[a-z0-9])?(:[1-9]\d{0,4})?$/,
    'must be an origin such as https://shop.example or https://*.shop.example, in lowercase and without a path.',
  );

const webUrl = z.url({ protocol: /^https?$/ });

function isHttpUrl(value: string): boolean {
  return webUrl.safeParse(value).success;
}

const numberPattern = new RegExp(`^\\+[1-9]\\d{${phoneDigits.min - 1},${phoneDigits.max - 1}}$`);

/** Completes the sentence "The <name> …" for an invalid phone number. */
export const e164Rule = `must be in E.164 format: a plus sign and ${phoneDigits.min} to ${phoneDigits.max} digits, such as +4915112345678.`;

const invalidNumber = e164Rule.replace('must be', 'must be a phone number');

/** A country code with a zero in parentheses, as in `+49 (0)151`. In Italy and a few other countries it is dialed. */
const trunkZero = /^(\s*\+?(?!39|378|225|229|241|242)[1-9]\d{0,2})[\s.-]*\(0\)/;

/** Removes separators between digits, and the zero of {@link trunkZero}. */
const withoutSeparators = (number: string) => number.replace(trunkZero, '$1').replace(/[\s().-]/g, '');

/** Whether the value is a phone number in E.164 format, without separators. */
export const isPhoneNumber = (value: unknown): value is string =>
  typeof value === 'string' && numberPattern.test(value);

/** A phone number in E.164 format. Spaces, dots, hyphens and parentheses between its digits are removed. */
export const phoneNumber = () =>
  preprocess(
    (value) => (typeof value === 'string' ? withoutSeparators(value) : value),
    patternText(numberPattern, invalidNumber),
  );

/** Requires an E.164 number in the field `phone_number` of entries of one type. */
export const requirePhoneNumber = (type: string) =>
  z.check(
    ({ value: entry, issues }) => {
      const { type: given, phone_number: number } = (entry ?? {}) as Record<string, unknown>;
      if (given !== type || isPhoneNumber(number)) return;
      const isMissing = number === undefined || number === null || number === '';
      const message = isMissing ? `is required when type is ${type}.` : invalidNumber;
      issues.push({ code: 'custom', input: number, path: ['phone_number'], message });
    },
    { when: () => true },
  );

/** Part of a phone number, for filters. Plus signs, which mean a space in a query, are removed with the separators. */
export const partialPhoneNumber = () =>
  preprocess(
    (value) => (typeof value === 'string' ? withoutSeparators(value).replaceAll('+', '') : value),
    z
      .string()
      // The documentation describes the value before the removal.
      .register(z.globalRegistry, { pattern: `^[\\s().+-]*(\\d[\\s().+-]*){1,${phoneDigits.max}}$` })
      .check(
        z.refine(
          (value) => /^\d+$/.test(value) && value.length <= phoneDigits.max,
          `must have 1 to ${phoneDigits.max} digits.`,
        ),
      ),
  );

/** An IANA time zone, such as `Europe/Berlin`. */
export const timeZone = () => z.string().check(z.refine(isTimeZone, 'must be a valid timezone.'));

/** Whether a value is the name of a time zone. */
export function isTimeZone(value: string): boolean {
  if (!/^[a-z]/i.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A valid date, `YYYY-MM-DD`. The first year is 1, because PostgreSQL has no year 0. */
export const calendarDate = () =>
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

/** Accepts `[]` as an empty object, because PHP encodes empty arrays that way. */
export const objectOf = <Value>(schema: z.ZodMiniType<Value>) => preprocess(objectFrom, schema);

const objectFrom = (value: unknown) => (Array.isArray(value) && value.length === 0 ? {} : value);

/**
 * Limits the entries of an object or a list. They are counted before the schema checks each one, because checking
 * 90,000 entries, which fit into one request, takes 200 ms.
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

/**
 * Variables of a request. Typed as any object: an interface has no index signature, and JSON omits undefined values. The
 * schema checks them.
 *
 * @param messages about too many variables and about a value that is too long
 */
export const limitedVariables = <Value>(
  messages: { readonly count: string; readonly value: string },
  schema: z.ZodMiniType<Value>,
) =>
  objectOf(
    atMost(variables.count, messages.count, withShortValues(messages.value, schema)),
  ) as unknown as z.ZodMiniType<Value, object>;

/**
 * Limits the values of variables. Values other than strings are inserted into texts as JSON, which is measured before
 * the schema checks each part: checking 340,000 empty lists, which fit into one request, takes 200 ms.
 */
const withShortValues = <Value>(message: string, schema: z.ZodMiniType<Value>) =>
  z.pipe(
    z.transform((all: unknown, { issues }) => {
      if (typeof all === 'object' && all !== null && !Object.values(all).every(isShortValue))
        issues.push({ code: 'custom', input: all, message });
      return all;
    }),
    schema,
  ) as unknown as z.ZodMiniType<Value, Value>;

function isShortValue(value: unknown): boolean {
  const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? '');
  return countCharacters(text) <= variables.valueCharacters;
}

/** Key/value pairs for `{{variable_name}}`. */
export const variablesField = () =>
  limitedVariables(
    {
      count: `must not have more than ${variables.count} items.`,
      value: `must not have values greater than ${variables.valueCharacters} characters.`,
    },
    checkedVariables,
  );

/** The limits of variables for the documentation. JSON Schema cannot express the checks below. */
export const variablesBounds = {
  maxProperties: variables.count,
  propertyNames: { type: 'string', maxLength: variables.nameCharacters },
  description: `A value may have at most ${variables.valueCharacters} characters; values other than strings are counted as JSON.`,
};

const checkedVariables = z
  .record(z.string(), z.json())
  .register(z.globalRegistry, variablesBounds)
  .check(
    z.refine(
      (all) => !Object.keys(all).some(isVerifiedName),
      'must not have names that begin with verified., which are reserved for user tokens.',
    ),
    z.refine(
      (all) => Object.keys(all).every((name) => countCharacters(name) <= variables.nameCharacters),
      `must not have names greater than ${variables.nameCharacters} characters.`,
    ),
  );

/** The query of a paginated list. */
export const pageQuery = {
  page: z.optional(integer({ min: 1, max: page.number })),
  per_page: z.optional(integer({ min: 1, max: page.size })),
};

/** A shape whose fields may all be absent or null. */
export type Nullish<Shape extends Record<string, z.ZodMiniType>> = {
  [Name in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Name]>>;
};

export function nullish<Shape extends Record<string, z.ZodMiniType>>(shape: Shape): Nullish<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, z.nullish(schema)]),
  ) as Nullish<Shape>;
}
