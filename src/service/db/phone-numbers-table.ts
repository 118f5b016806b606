import { boolean, integer, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { timestamptz } from './columns.ts';

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
  /** Whether the carrier has not confirmed the purchase yet. */
  isPending: boolean('is_pending').notNull().default(false),
  smsCapable: boolean('sms_capable').notNull().default(false),
  region: text().notNull().default(''),
  hasActiveSubscription: boolean('has_active_subscription').notNull().default(false),
  /** USD per month; null for a free number. */
  price: numeric(),
  /** The end of the paid month. */
  paidUntil: timestamptz('paid_until'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  releaseAt: timestamptz('release_at'),
});
