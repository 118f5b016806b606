import * as z from 'zod/mini';
import { patternText, phoneNumber, text } from './request-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message, messageWith, timestamp } from './answer-fields.ts';

/* Phone numbers (interface: "Phone numbers"). */

const { nickname, searchedDigits } = recordLimits.phoneNumber;

/** A number of the owner. */
export const PhoneNumber = z.looseObject({
  id: z.int(),
  phone_number: z.string(),
  country_code: z.string(),
  /** `normal` is a dedicated one. */
  type: z.string(),
  type_label: z.string(),
  nickname: z.nullable(z.string()),
  sms_capable: z.boolean(),
  region: z.string(),
  has_active_subscription: z.boolean(),
  /** When it goes, once its release was asked for or a month could not be paid. Our addition. */
  release_at: z.nullable(timestamp),
  created_at: timestamp,
});
export type PhoneNumber = z.infer<typeof PhoneNumber>;

const PhoneNumbers = z.looseObject({ data: z.array(PhoneNumber) });

/** A number that can be bought. */
export const OfferedNumber = z.looseObject({
  phone_number: z.string(),
  phone_number_formatted: z.string(),
  country_code: z.string(),
  /** USD a month. */
  price: z.number(),
  address_requirements: z.string(),
  sms_capable: z.boolean(),
});

export const listPhoneNumbers = ownerEndpoint({
  summary: 'All numbers of the owner.',
  method: 'GET',
  path: '/api/user/phone-numbers/all',
  response: PhoneNumbers,
});

export const listSmsNumbers = ownerEndpoint({
  summary: 'Those that take SMS and have a subscription. For old clients; new ones ask for all.',
  method: 'GET',
  path: '/api/user/phone-numbers',
  response: PhoneNumbers,
});

export const searchPhoneNumbers = ownerEndpoint({
  summary: 'Numbers that can be bought.',
  method: 'GET',
  path: '/api/user/phone-numbers/search',
  query: z.object({
    country_code: z.optional(patternText(/^[A-Za-z]{2}$/, 'must be a country code of two letters.')),
    contains: z.optional(
      patternText(new RegExp(`^\\d{1,${searchedDigits}}$`), `must be 1 to ${searchedDigits} digits.`),
    ),
  }),
  response: z.looseObject({ data: z.array(OfferedNumber) }),
});

export const purchasePhoneNumber = ownerEndpoint({
  summary: 'Buys a number that the search offers. Each month is charged in advance.',
  method: 'POST',
  path: '/api/user/phone-numbers/purchase',
  request: z.object({ phone_number: phoneNumber() }),
  response: messageWith(PhoneNumber),
  success: 201,
  refusals: [400, 402],
});

export const updatePhoneNumber = ownerEndpoint({
  summary: 'Gives a number a name that only its owner sees; `null` takes it away.',
  method: 'PUT',
  path: '/api/user/phone-numbers/:id',
  request: z.object({ nickname: z.nullable(text(nickname)) }),
  response: messageWith(PhoneNumber),
});

export const releasePhoneNumber = ownerEndpoint({
  summary:
    'Gives a number back. The subscription of a dedicated one is cancelled, and it goes when the month is over; others go at once.',
  method: 'DELETE',
  path: '/api/user/phone-numbers/:id',
  response: Message,
  refusals: [400],
});
