import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
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
  createdAt: moment('created_at').notNull().defaultNow(),
  releaseAt: moment('release_at'),
});
