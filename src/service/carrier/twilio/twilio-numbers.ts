import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type twilio from 'twilio';
import { z } from 'zod';
import { CarrierError } from '../carrier-error.ts';
import type { CarrierNumber, CarrierNumbers } from '../carrier-numbers.ts';
import { findOwnedNumbers } from './find-numbers.ts';
import { rejectionOf, translateError, translateReadError } from './twilio-client.ts';
import type { WebhookUrls } from './webhook-urls.ts';

/** The kinds of numbers, as named in the price list. */
const kinds = ['local', 'national', 'mobile', 'toll free'] as const;

/** The carrier sends prices as strings, contrary to the client's types. */
const Prices = z.array(z.object({ numberType: z.string(), currentPrice: z.coerce.number().min(0) }));

/** The carrier's error codes for numbers that it sells only with an address or a regulatory bundle. */
const registrationCodes = [21615, 21631, 21649];

/** Maximum number of addresses, and of bundles, to try for a purchase. */
const maxRegistrations = 5;

interface NumberQuery {
  voiceEnabled: boolean;
  contains?: string;
  limit: number;
}

interface FoundNumber {
  phoneNumber: string;
  isoCountry: string;
  region: string;
  addressRequirements: string;
  capabilities: { sms: boolean };
}

const needsRegistration = (error: unknown): boolean =>
  registrationCodes.includes(rejectionOf(error)?.code ?? 0);

/** The numbers that Twilio sells. */
export class TwilioNumbers implements CarrierNumbers {
  readonly #client: twilio.Twilio;
  readonly #urls: WebhookUrls;

  constructor(client: twilio.Twilio, urls: WebhookUrls) {
    this.#client = client;
    this.#urls = urls;
  }

  /** Finds numbers that can be called, with the monthly price of the account. */
  async search({
    country,
    contains,
    limit,
  }: Parameters<CarrierNumbers['search']>[0]): Promise<CarrierNumber[]> {
    const prices = await this.#readPrices(country);
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const price = prices.get(kind);
        if (price === undefined) return [];
        const numbers = await this.#read('the search for numbers', [], () =>
          this.#list(country, kind, { voiceEnabled: true, limit, ...(contains !== '' && { contains }) }),
        );
        return numbers.map((number) => ({
          phoneNumber: number.phoneNumber,
          countryCode: number.isoCountry,
          region: number.region,
          price,
          addressRequirements: number.addressRequirements,
          smsCapable: number.capabilities.sms,
        }));
      }),
    );
    return found.flat().slice(0, limit);
  }

  async buy(phoneNumber: string): Promise<void> {
    const webhook = { voiceUrl: this.#urls.incoming, voiceMethod: 'POST' };
    try {
      const [owned] = await findOwnedNumbers(this.#client, phoneNumber);
      if (owned) await this.#client.incomingPhoneNumbers(owned.sid).update(webhook);
      else await this.#create({ phoneNumber, ...webhook });
    } catch (error) {
      throw translateError(error, 'the purchase of the number');
    }
  }

  async release(phoneNumber: string): Promise<void> {
    try {
      const found = await findOwnedNumbers(this.#client, phoneNumber);
      for (const { sid } of found) await this.#client.incomingPhoneNumbers(sid).remove();
    } catch (error) {
      if (rejectionOf(error)?.status !== 404) throw translateError(error, 'the release of the number');
    }
  }

  /** Buys a number, with an address or bundle of the account if its country requires one. */
  async #create(number: { phoneNumber: string; voiceUrl: string; voiceMethod: string }): Promise<void> {
    const { incomingPhoneNumbers } = this.#client;
    try {
      await incomingPhoneNumbers.create(number);
    } catch (refusal) {
      if (!needsRegistration(refusal)) throw refusal;
      for (const registration of await this.#findRegistrations(number.phoneNumber)) {
        try {
          await incomingPhoneNumbers.create({ ...number, ...registration });
          return;
        } catch (error) {
          // Another registration may fit this kind of number.
          if (!needsRegistration(error)) throw error;
        }
      }
      throw refusal;
    }
  }

  /** Finds the regulatory bundles of a number's country, and its addresses. */
  async #findRegistrations(phoneNumber: string): Promise<{ bundleSid?: string; addressSid?: string }[]> {
    const isoCountry = parsePhoneNumberFromString(phoneNumber)?.country;
    if (isoCountry === undefined) return [];
    const query = { isoCountry, limit: maxRegistrations };
    const addresses = await this.#client.addresses.list(query);
    const bundles = await this.#client.numbers.v2.regulatoryCompliance.bundles.list({
      ...query,
      status: 'twilio-approved',
    });
    const [address] = addresses;
    return [
      ...bundles.map(({ sid }) => ({ bundleSid: sid, ...(address && { addressSid: address.sid }) })),
      ...addresses.map(({ sid }) => ({ addressSid: sid })),
    ];
  }

  #list(country: string, kind: (typeof kinds)[number], query: NumberQuery): Promise<FoundNumber[]> {
    const available = this.#client.availablePhoneNumbers(country);
    switch (kind) {
      case 'local':
        return available.local.list(query);
      case 'national':
        return available.national.list(query);
      case 'mobile':
        return available.mobile.list(query);
      case 'toll free':
        return available.tollFree.list(query);
    }
  }

  /** Monthly prices in USD by kind of number; none for a country where the carrier sells no numbers. */
  async #readPrices(country: string): Promise<Map<string, number>> {
    const answer = await this.#read('the request for prices', undefined, () =>
      this.#client.pricing.v1.phoneNumbers.countries(country).fetch(),
    );
    if (answer === undefined) return new Map();
    if (answer.priceUnit.toUpperCase() !== 'USD') {
      throw new CarrierError(
        `Twilio bills this account in ${answer.priceUnit}, but numbers are sold in USD. Use an account that is billed in USD.`,
      );
    }
    const prices = Prices.parse(answer.phoneNumberPrices);
    return new Map(prices.map(({ numberType, currentPrice }) => [numberType, currentPrice]));
  }

  /** Sends a request that only reads; returns `nothing` if the carrier has no such object. */
  async #read<Result>(action: string, nothing: Result, send: () => Promise<Result>): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      if (rejectionOf(error)?.status === 404) return nothing;
      throw translateReadError(error, action);
    }
  }
}
