/** A number that a carrier sells. */
export interface CarrierNumber {
  /** E.164. */
  phoneNumber: string;
  countryCode: string;
  region: string;
  /** USD per month. */
  price: number;
  addressRequirements: string;
  smsCapable: boolean;
}

/** The numbers that a carrier sells. After an error other than `CarrierError`, the result is unknown. */
export interface CarrierNumbers {
  /** @param query.contains digits that the numbers must contain. */
  search(query: { country: string; contains: string; limit: number }): Promise<CarrierNumber[]>;
  /**
   * Buys a number and points it at this service. Buying it again does nothing.
   *
   * @throws CarrierError if the carrier refused, so the number was not bought.
   */
  buy(phoneNumber: string): Promise<void>;
  /** Releases a number. Does nothing if the carrier does not know it. */
  release(phoneNumber: string): Promise<void>;
}
