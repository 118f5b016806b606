import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { errorTexts } from '../../contract/error-texts.ts';
import { moveMoney } from '../billing/ledger.ts';
import type { CarrierNumber, CarrierNumbers } from '../carrier/carrier-numbers.ts';
import { CarrierError } from '../carrier/carrier-error.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Refusal } from '../lib/refusal.ts';
import { waitWithTimeout } from '../lib/with-timeout.ts';
import { endOfPaidMonth } from './end-of-paid-month.ts';
import { findOffer } from './search-numbers.ts';

/** Dependencies of a purchase. */
export interface PurchaseDependencies {
  database: Database;
  jobs: Jobs;
  /** Undefined if the carrier sells no numbers. */
  numbers: CarrierNumbers | undefined;
  log: Logger;
}

/** The result of a purchase: the carrier sold the number or refused. */
type PurchaseOutcome = 'bought' | CarrierError;

/** Maximum time that a request waits for the carrier, in milliseconds. */
const waitMs = 20_000;

/** Time after which a job completes a purchase whose process may have died, in milliseconds. */
const completeAfterMs = 60_000;

/**
 * Buys a number. The first month is charged before the carrier is asked, and refunded if the carrier refuses, so that
 * every bought number is paid for. A background job completes the purchase if this process dies.
 *
 * @param change runs the reservation in the transaction that writes the request's audit log entry.
 * @returns the id of the number.
 * @throws Refusal if the number is not for sale, the balance is too low, or the carrier has not answered yet.
 */
export async function purchasePhoneNumber(
  dependencies: PurchaseDependencies,
  userId: number,
  phoneNumber: string,
  change: (work: (database: Database) => Promise<number>) => Promise<number>,
  waitLimitMs = waitMs,
): Promise<number> {
  const offer = await findOffer(dependencies.numbers, phoneNumber);
  if (!offer) throw notForSale();
  const id = await change((database) => reserveNumber({ ...dependencies, database }, userId, offer));
  let outcome: PurchaseOutcome | undefined;
  const completed = completePurchase(dependencies, id).then(
    (result) => {
      outcome = result;
    },
    (error: unknown) => {
      dependencies.log.warn({ err: error, phoneNumber }, 'the purchase of a number is not completed yet');
    },
  );
  await waitWithTimeout(waitLimitMs, completed);
  return checkOutcome(outcome, id);
}

function checkOutcome(outcome: PurchaseOutcome | undefined, id: number): number {
  if (outcome === 'bought') return id;
  if (outcome) throw refusal(400, outcome.message, outcome);
  const message =
    'The carrier has not confirmed the purchase yet. The number will be in your list, or its price will be refunded.';
  throw refusal(503, message);
}

/** Stores a number whose purchase is pending, and charges its first month. */
async function reserveNumber(
  { database, jobs }: PurchaseDependencies,
  userId: number,
  { phoneNumber, countryCode, region, smsCapable, price }: CarrierNumber,
): Promise<number> {
  return database.db.transaction(async (tx) => {
    const [reserved] = await tx
      .insert(phoneNumbers)
      .values({
        userId,
        phoneNumber,
        countryCode,
        region,
        smsCapable,
        hasActiveSubscription: true,
        isPending: true,
        price: price.toFixed(4),
        paidUntil: endOfPaidMonth(sql`now()`, sql`now()`),
      })
      .returning({ id: phoneNumbers.id, price: phoneNumbers.price })
      // Of two concurrent purchases, the unique index admits only one.
      .catch((error: unknown) => {
        if (isUniqueViolation(error, 'phone_numbers_one_owner')) throw notForSale(error);
        if (isUniqueViolation(error, 'phone_numbers_user_id_phone_number_key')) throw notForSale(error);
        throw error;
      });
    if (reserved?.price == null) throw new Error('The number was not stored.');
    const isPaid =
      Number(reserved.price) === 0 ||
      (await moveMoney(tx, { userId, kind: 'charge', amount: reserved.price }));
    if (!isPaid) throw refusal(402, errorTexts['insufficient-balance']);
    await jobs.send('complete-purchase', { phoneNumberId: reserved.id }, { startAfter: completeAfterMs, tx });
    return reserved.id;
  });
}

/**
 * Buys a reserved number at the carrier, or refunds it if the carrier refuses. Can be repeated.
 *
 * @returns the carrier's refusal if it does not sell the number.
 * @throws Error if the carrier's answer is unknown. The purchase is then still pending.
 */
export async function completePurchase(
  { database, jobs, numbers, log }: PurchaseDependencies,
  id: number,
): Promise<PurchaseOutcome> {
  const { db } = database;
  const isReserved = and(eq(phoneNumbers.id, id), eq(phoneNumbers.isPending, true));
  const [number] = await db.select().from(phoneNumbers).where(eq(phoneNumbers.id, id));
  if (!number) return new CarrierError(notOnOffer);
  if (!number.isPending) return 'bought';
  try {
    if (numbers === undefined) throw new CarrierError('The carrier sells no numbers.');
    await numbers.buy(number.phoneNumber);
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    log.warn({ err: error, phoneNumber: number.phoneNumber }, 'the carrier refused to sell a number');
    await db.transaction(async (tx) => {
      const [refused] = await tx.delete(phoneNumbers).where(isReserved).returning();
      if (!refused?.price || Number(refused.price) === 0) return;
      await moveMoney(tx, { userId: refused.userId, kind: 'refund', amount: refused.price });
    });
    return error;
  }
  const bought = await db
    .update(phoneNumbers)
    .set({ isPending: false })
    .where(isReserved)
    .returning({ id: phoneNumbers.id });
  if (bought.length > 0) return 'bought';
  // Another process completed the purchase. If it was refused there, the number bought here is not paid for.
  await jobs.send('release-number', { phoneNumber: number.phoneNumber });
  const [kept] = await db.select({ id: phoneNumbers.id }).from(phoneNumbers).where(eq(phoneNumbers.id, id));
  return kept ? 'bought' : new CarrierError(notOnOffer);
}

const notOnOffer = 'This phone number is not for sale.';

const notForSale = (cause?: unknown) => refusal(400, notOnOffer, cause);

const refusal = (status: 400 | 402 | 503, message: string, cause?: unknown) =>
  new Refusal(status, { error: message, message }, { cause });
