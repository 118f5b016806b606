import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { timestamptz } from './columns.ts';

/** The campaigns of the users. */
export const campaigns = pgTable('campaigns', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  assistantId: integer('assistant_id').notNull(),
  name: text().notNull(),
  status: text({ enum: ['draft', 'in-progress', 'stopped', 'completed'] })
    .notNull()
    .default('draft'),
  timezone: text().notNull(),
  maxCallsInParallel: integer('max_calls_in_parallel').notNull().default(3),
  allowedHoursStartTime: text('allowed_hours_start_time').notNull().default('00:00'),
  allowedHoursEndTime: text('allowed_hours_end_time').notNull().default('23:59'),
  allowedDays: text('allowed_days').array().notNull().default([]),
  maxRetries: integer('max_retries').notNull().default(3),
  retryInterval: integer('retry_interval').notNull().default(60),
  retryOnVoicemail: boolean('retry_on_voicemail').notNull().default(false),
  retryOnGoalIncomplete: boolean('retry_on_goal_incomplete').notNull().default(false),
  goalCompletionVariable: text('goal_completion_variable'),
  markCompleteWhenNoLeads: boolean('mark_complete_when_no_leads').notNull().default(true),
  stopReason: text('stop_reason'),
  /** Set after an error of the carrier. */
  pausedUntil: timestamptz('paused_until'),
  callsMade: integer('calls_made').notNull().default(0),
  /** Set while the leads of a deleted campaign are being deleted. */
  deletedAt: timestamptz('deleted_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** The numbers that a campaign calls from, in turn. */
export const campaignPhoneNumbers = pgTable('campaign_phone_numbers', {
  campaignId: integer('campaign_id').notNull(),
  phoneNumberId: integer('phone_number_id').notNull(),
  position: integer().notNull(),
});
