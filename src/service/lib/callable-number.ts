import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';

/** The countries that may be called, as ISO 3166 codes. */
export type AllowedCountries = ReadonlySet<string> | 'all';

/**
 * Returns why a number must not be called, or undefined if it may: a premium number, or one of a country that the
 * operator has not allowed. This limits the damage of a stolen API key.
 *
 * @param number in E.164 format.
 */
export function numberProblem(number: string, allowed: AllowedCountries): string | undefined {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed?.getType() === 'PREMIUM_RATE')
    return `${number} is a premium number. Such numbers are not called.`;
  if (allowed === 'all') return undefined;
  const possible = parsed?.country === undefined ? (parsed?.getPossibleCountries() ?? []) : [parsed.country];
  if (possible.length > 0 && possible.every((country) => allowed.has(country))) return undefined;
  const [country] = possible;
  return possible.length === 1 && country !== undefined
    ? `Calls to ${nameOf(country)} are not allowed. The operator of this service can allow them with CARRIER_COUNTRIES.`
    : `${number} belongs to no country that may be called. The operator of this service sets them with CARRIER_COUNTRIES.`;
}

const names = new Intl.DisplayNames('en', { type: 'region' });
const nameOf = (country: CountryCode) => names.of(country) ?? country;
