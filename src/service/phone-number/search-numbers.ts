import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { CarrierNumber, CarrierNumbers } from '../carrier/carrier-numbers.ts';
import { CarrierError } from '../carrier/carrier-error.ts';
import { Refusal } from '../lib/refusal.ts';

/** Maximum number of search results. */
const maxResults = 20;

/** Finds numbers for sale in a country that contain certain digits. Returns none if the carrier sells no numbers. */
export async function searchPhoneNumbers(
  numbers: CarrierNumbers | undefined,
  country: string,
  digits: string,
) {
  const found = numbers ? await search(numbers, { country, contains: digits, limit: maxResults }) : [];
  return found.map(({ phoneNumber, countryCode, price, addressRequirements, smsCapable }) => ({
    phone_number: phoneNumber,
    phone_number_formatted: parsePhoneNumberFromString(phoneNumber)?.formatInternational() ?? phoneNumber,
    country_code: countryCode,
    price,
    address_requirements: addressRequirements,
    sms_capable: smsCapable,
  }));
}

/** Finds one number for sale, with the carrier's current price. */
export async function findOffer(
  numbers: CarrierNumbers | undefined,
  phoneNumber: string,
): Promise<CarrierNumber | undefined> {
  const parsed = parsePhoneNumberFromString(phoneNumber);
  if (numbers === undefined || parsed?.country === undefined) return undefined;
  const query = { country: parsed.country, contains: parsed.nationalNumber, limit: maxResults };
  return (await search(numbers, query)).find((offer) => offer.phoneNumber === phoneNumber);
}

/** @throws Refusal if the carrier refuses the search, for example because of wrong credentials. */
async function search(
  numbers: CarrierNumbers,
  query: Parameters<CarrierNumbers['search']>[0],
): Promise<CarrierNumber[]> {
  try {
    return await numbers.search(query);
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    throw new Refusal(503, { error: error.message, message: error.message }, { cause: error });
  }
}
