import { limits } from '../../../contract/limits.ts';
import type { FormField } from '../../form-field.ts';

/** Why an answer is invalid: the key of the error text. */
export type Fault = 'required' | 'invalid';

export interface CheckedAnswer {
  readonly fault?: Fault;
  /** The variable's value; undefined if the field was left empty. */
  readonly value?: string | number | boolean | undefined;
}

const patterns: Partial<Record<NonNullable<FormField['type']>, RegExp>> = {
  // Like the check of browsers, but requires a dot in the domain.
  email: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
  tel: /^\+?(?=(?:\D*\d){4})[\d\s()./-]{4,40}$/,
  number: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i,
};

/**
 * Validates an answer, and converts it to the value of a variable.
 *
 * @param isUnreadable whether the field contains a text that the browser cannot convert, so that its value is empty
 */
export function checkField(
  { type = 'text', required, options }: FormField,
  answer: string | boolean | undefined,
  isUnreadable = false,
): CheckedAnswer {
  if (isUnreadable) return { fault: 'invalid' };
  if (type === 'checkbox') {
    const value = answer === true;
    return required && !value ? { fault: 'required' } : { value };
  }
  const given = String(answer ?? '');
  const text = type === 'tel' ? plainNumber(given) : given.trim();
  if (text === '') return required ? { fault: 'required' } : {};
  if (text.length > limits.variables.valueCharacters) return { fault: 'invalid' };
  if (type === 'url') {
    const value = addressFrom(text);
    return value === undefined ? { fault: 'invalid' } : { value };
  }
  if (type === 'select') return options?.includes(given) ? { value: given } : { fault: 'invalid' };
  if (patterns[type]?.test(text) === false) return { fault: 'invalid' };
  return { value: type === 'number' ? Number(text) : text };
}

/** Returns a phone number in ASCII, without the invisible characters of address books. */
function plainNumber(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}−ー]/gu, '-')
    .replace(/\p{Nd}/gu, plainDigit)
    .trim();
}

/** Unicode has the ten digits of a script in a row. */
function plainDigit(digit: string): string {
  let value = 0;
  const code = digit.codePointAt(0) as number;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10);
}

/** Returns the URL, with a missing `https://` added; undefined if it is invalid. */
function addressFrom(text: string): string | undefined {
  try {
    const url = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    return /^https?:$/.test(url.protocol) && url.hostname.includes('.') ? url.href : undefined;
  } catch {
    return undefined;
  }
}
