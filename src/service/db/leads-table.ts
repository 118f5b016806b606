import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { leadStatuses } from '../../contract/lead.ts';
import { timestamptz } from './columns.ts';
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
  nextTryAt: timestamptz('next_try_at').notNull().defaultNow(),
  /** The latest call; it may have been deleted. */
  callId: integer('call_id'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** People to call if a lead cannot be reached. */
export const secondaryContacts = pgTable('secondary_contacts', {
  id: integer().generatedAlwaysAsIdentity(),
  leadId: integer('lead_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  status: text({ enum: leadStatuses }).notNull().default('created'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** Numbers that must not be called for a user. */
export const blockedNumbers = pgTable('blocked_numbers', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
});
