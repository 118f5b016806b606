import type twilio from 'twilio';

/** Maximum number of results, more than there are numbers that contain the whole number. */
const limit = 100;

/** Finds a number that the account has bought. The carrier also returns longer numbers that contain it. */
export async function findOwnedNumbers(client: twilio.Twilio, phoneNumber: string) {
  const found = await client.incomingPhoneNumbers.list({ phoneNumber, limit });
  return found.filter((number) => number.phoneNumber === phoneNumber);
}

/** Finds a number that the account has verified as a caller ID. */
export async function findCallerIds(client: twilio.Twilio, phoneNumber: string) {
  const found = await client.outgoingCallerIds.list({ phoneNumber, limit });
  return found.filter((number) => number.phoneNumber === phoneNumber);
}
