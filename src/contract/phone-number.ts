import * as z from 'zod/mini';
import { patternText, phoneNumber, text } from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './answer-fields.ts';

/* Phone numbers (interface: "Phone numbers"). */

const { nickname, searchedDigits } = recordLimits.phoneNumber;

/** A phone number of the account. */
export const PhoneNumber = z.looseObject({
  id: z.int(),
  phone_number: z.string(),
  country_code: z.string(),
  /** `normal` means dedicated. */
  type: z.string(),
  type_label: z.string(),
  nickname: z.nullable(z.string()),
  sms_capable: z.boolean(),
  region: z.string(),
  has_active_subscription: z.boolean(),
  /** When the number will be released, after a release request or a failed payment. Our addition. */
  release_at: z.nullable(timestamp),
  created_at: timestamp,
});
export type PhoneNumber = z.infer<typeof PhoneNumber>;

const PhoneNumbers = z.looseObject({ data: z.array(PhoneNumber) });

/** A phone number for sale. */
export const OfferedNumber = z.looseObject({
  phone_number: z.string(),
  phone_number_formatted: z.string(),
  country_code: z.string(),
  /** USD per month. */
  price: z.number(),
  address_requirements: z.string(),
  sms_capable: z.boolean(),
});

export const listPhoneNumbers = ownerEndpoint({
  summary: 'Lists all phone numbers of the account.',
  method: 'GET',
  path: '/api/user/phone-numbers/all',
  scope: 'read',
  response: PhoneNumbers,
});

export const listSmsNumbers = ownerEndpoint({
  summary: 'Lists the SMS-capable numbers with an active subscription. Legacy; use `/all` instead.',
  method: 'GET',
  path: '/api/user/phone-numbers',
  scope: 'read',
  response: PhoneNumbers,
});

export const searchPhoneNumbers = ownerEndpoint({
  summary: 'Lists phone numbers for sale.',
  method: 'GET',
  path: '/api/user/phone-numbers/search',
  scope: 'read',
  query: z.object({
    country_code: z.optional(patternText(/^[A-Za-z]{2}$/, 'must be a country code of two letters.')),
    contains: z.optional(
      patternText(new RegExp(`^\\d{1,${searchedDigits}}$`), `must be 1 to ${searchedDigits} digits.`),
    ),
  }),
  response: z.looseObject({ data: z.array(OfferedNumber) }),
  refusals: [503],
});

export const purchasePhoneNumber = ownerEndpoint({
  summary: 'Buys a number that the search returned. Each month is charged in advance.',
  method: 'POST',
  path: '/api/user/phone-numbers/purchase',
  scope: 'money',
  changes: 'phone-number',
  request: z.object({ phone_number: phoneNumber() }),
  response: messageWith(PhoneNumber),
  success: 201,
  refusals: [400, 402, 503],
});

export const updatePhoneNumber = ownerEndpoint({
  summary: 'Sets the nickname of a number, or removes it with `null`.',
  method: 'PUT',
  path: '/api/user/phone-numbers/:id',
  scope: 'write',
  changes: 'phone-number',
  request: z.object({ nickname: z.nullable(text(nickname)) }),
  response: messageWith(PhoneNumber),
});

export const releasePhoneNumber = ownerEndpoint({
  summary:
    'Releases a number. A dedicated number stays active until the end of the paid month; other numbers are deleted immediately.',
  method: 'DELETE',
  path: '/api/user/phone-numbers/:id',
  scope: 'money',
  changes: 'phone-number',
  response: Message,
  refusals: [400],
});
