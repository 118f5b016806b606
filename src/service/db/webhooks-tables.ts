import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { deliveryStatuses, webhookEvents } from '../../contract/webhook.ts';
import { sealed, timestamptz, rowId } from './columns.ts';

/** Secrets that sign webhooks. */
export const webhookSecrets = pgTable('webhook_secrets', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  secret: sealed().notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  expiresAt: timestamptz('expires_at'),
});

/** Sent and pending webhooks. */
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
  nextAttemptAt: timestamptz('next_attempt_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});
