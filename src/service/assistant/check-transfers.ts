import { numberProblem } from '../lib/callable-number.ts';
import type { AllowedCountries } from '../lib/callable-number.ts';
import { isPhoneNumber } from '../../contract/request-fields.ts';
import type { FieldErrors } from '../lib/refusal.ts';
import type { GivenFields } from './assistant-fields.ts';

/** Validates the numbers to which an assistant transfers calls. */
export function checkTransfers(tools: GivenFields['tools'], countries: AllowedCountries): FieldErrors {
  const errors: FieldErrors = {};
  for (const [index, { type, phone_number: number }] of (tools ?? []).entries()) {
    if (type !== 'call_transfer' || !isPhoneNumber(number)) continue;
    const problem = numberProblem(number, countries);
    if (problem !== undefined) errors[`tools.${index}.phone_number`] = [problem];
  }
  return errors;
}
