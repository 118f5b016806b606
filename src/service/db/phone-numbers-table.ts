import { boolean, integer, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** The numbers of the users. */
export const phoneNumbers = pgTable('phone_numbers', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  countryCode: text('country_code').notNull(),
  type: text({ enum: ['normal', 'sip', 'caller_id'] })
    .notNull()
    .default('normal'),
  nickname: text(),
  smsCapable: boolean('sms_capable').notNull().default(false),
  region: text().notNull().default(''),
  hasActiveSubscription: boolean('has_active_subscription').notNull().default(false),
  /** USD a month; null of a number that nobody pays for. */
  price: numeric(),
  /** The end of the month that is paid for. */
  paidUntil: moment('paid_until'),
  createdAt: moment('created_at').notNull().defaultNow(),
  releaseAt: moment('release_at'),
});
