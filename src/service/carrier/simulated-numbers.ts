import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { CarrierNumber, CarrierNumbers } from './carrier-numbers.ts';

/** The numbers that the simulated carrier sells, in the table `offered_numbers`. */
export class SimulatedNumbers implements CarrierNumbers {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  /** Numbers that an account owns are not offered. Caller IDs do not count as owned. */
  async search({ country, contains, limit }: Parameters<CarrierNumbers['search']>[0]) {
    const { rows } = await this.#db.execute<CarrierNumber & Record<string, unknown>>(sql`
      SELECT phone_number AS "phoneNumber", country_code AS "countryCode", region, price::float AS price,
        'none' AS "addressRequirements", sms_capable AS "smsCapable"
      FROM offered_numbers
      WHERE country_code = ${country} AND position(${contains} IN phone_number) > 0
        AND NOT EXISTS (SELECT 1 FROM phone_numbers
          WHERE phone_numbers.phone_number = offered_numbers.phone_number AND type <> 'caller_id')
      ORDER BY phone_number LIMIT ${limit}`);
    return rows;
  }

  /** Does nothing: storing the number assigns it to the account. */
  buy(): Promise<void> {
    return Promise.resolve();
  }

  release(): Promise<void> {
    return Promise.resolve();
  }
}
