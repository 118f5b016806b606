/** A number that a carrier sells. */
export interface CarrierNumber {
  /** E.164. */
  phoneNumber: string;
  countryCode: string;
  region: string;
  /** USD a month. */
  price: number;
  addressRequirements: string;
  smsCapable: boolean;
}

/** The numbers that a carrier sells. Errors other than a {@link CarrierError} leave open what has happened. */
export interface CarrierNumbers {
  /** @param query.contains digits that the numbers must contain. */
  search(query: { country: string; contains: string; limit: number }): Promise<CarrierNumber[]>;
  /**
   * Buys a number and points it at this service. Buying it again does nothing.
   *
   * @throws CarrierError if the carrier refused; the number was then not bought.
   */
  buy(phoneNumber: string): Promise<void>;
  /** Gives a number back; does nothing if the carrier does not know it. */
  release(phoneNumber: string): Promise<void>;
}

/** The carrier refused a request. The message is fit for the account's owner. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
}
