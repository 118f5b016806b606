import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { deliveryStatuses, webhookEvents } from '../../contract/webhook.ts';
import { moment, rowId } from './columns.ts';

/** What webhooks are signed with. */
export const webhookSecrets = pgTable('webhook_secrets', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  secret: text().notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
  expiresAt: moment('expires_at'),
});

/** Webhooks that were sent or are to be. */
export const webhookDeliveries = pgTable('webhook_deliveries', {
  id: integer().generatedAlwaysAsIdentity(),
  webhookId: text('webhook_id').notNull(),
  userId: integer('user_id').notNull(),
  assistantId: integer('assistant_id'),
  callId: integer('call_id'),
  conversationId: rowId('conversation_id'),
  event: text({ enum: webhookEvents }).notNull(),
  url: text().notNull(),
  payload: text().notNull(),
  status: text({ enum: deliveryStatuses }).notNull().default('pending'),
  attempts: integer().notNull().default(0),
  failures: integer().notNull().default(0),
  responseStatus: integer('response_status'),
  responseBody: text('response_body'),
  error: text(),
  nextAttemptAt: moment('next_attempt_at'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
