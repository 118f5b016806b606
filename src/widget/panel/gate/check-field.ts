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

/** Validates an answer, and converts it to the value of a variable. */
export function checkField(
  { type = 'text', required, options }: FormField,
  answer: string | boolean | undefined,
): CheckedAnswer {
  if (type === 'checkbox') {
    const value = answer === true;
    return required && !value ? { fault: 'required' } : { value };
  }
  const text = String(answer ?? '').trim();
  if (text === '') return required ? { fault: 'required' } : {};
  if (text.length > limits.variables.valueCharacters) return { fault: 'invalid' };
  if (type === 'url') {
    const value = addressFrom(text);
    return value === undefined ? { fault: 'invalid' } : { value };
  }
  if (type === 'select' && !options?.includes(text)) return { fault: 'invalid' };
  if (patterns[type]?.test(text) === false) return { fault: 'invalid' };
  return { value: type === 'number' ? Number(text) : text };
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
