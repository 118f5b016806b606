import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { leadStatuses } from '../../contract/lead.ts';
import { moment } from './columns.ts';
import type { StoredVariables } from './schema.ts';

/** The people whom campaigns call. */
export const leads = pgTable('leads', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  campaignId: integer('campaign_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  status: text({ enum: leadStatuses }).notNull().default('created'),
  tries: integer().notNull().default(0),
  nextContactId: integer('next_contact_id'),
  nextTryAt: moment('next_try_at').notNull().defaultNow(),
  /** The call that was made last; it may be deleted. */
  callId: integer('call_id'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** Who is tried when a lead is not reached. */
export const secondaryContacts = pgTable('secondary_contacts', {
  id: integer().generatedAlwaysAsIdentity(),
  leadId: integer('lead_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  status: text({ enum: leadStatuses }).notNull().default('created'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** Numbers that nobody is called at for their user any more. */
export const blockedNumbers = pgTable('blocked_numbers', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
});
