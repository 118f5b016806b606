import type { CarrierNumber, CarrierNumbers } from '../../../src/service/carrier/carrier-numbers.ts';
import { CarrierError } from '../../../src/service/carrier/carrier-error.ts';

/** A carrier that sells numbers, and that can refuse, fail or not answer. */
export class FakeCarrierNumbers implements CarrierNumbers {
  readonly #stock: CarrierNumber[];
  /** The numbers that were bought and not released. */
  readonly sold = new Set<string>();
  /** The next answers to `buy`; then it sells. `lost` sells, but the answer never arrives. */
  readonly answers: ('refuse' | 'fail' | 'lost')[] = [];
  readonly releaseAnswers: 'fail'[] = [];

  constructor(phoneNumbers: string[]) {
    this.#stock = phoneNumbers.map((phoneNumber) => ({
      phoneNumber,
      countryCode: 'DE',
      region: 'Berlin',
      price: 1.25,
      addressRequirements: 'any',
      smsCapable: true,
    }));
  }

  search({ country, contains, limit }: Parameters<CarrierNumbers['search']>[0]) {
    const found = this.#stock.filter(
      ({ phoneNumber, countryCode }) =>
        countryCode === country && phoneNumber.includes(contains) && !this.sold.has(phoneNumber),
    );
    return Promise.resolve(found.slice(0, limit));
  }

  async buy(phoneNumber: string): Promise<void> {
    const answer = this.answers.shift();
    if (answer === 'refuse') throw new CarrierError('The number is gone.');
    if (answer === 'fail') throw new Error('The carrier cannot be reached.');
    this.sold.add(phoneNumber);
    if (answer === 'lost') await new Promise(() => undefined);
  }

  release(phoneNumber: string): Promise<void> {
    if (this.releaseAnswers.shift() === 'fail') {
      return Promise.reject(new Error('The carrier cannot be reached.'));
    }
    this.sold.delete(phoneNumber);
    return Promise.resolve();
  }
}
