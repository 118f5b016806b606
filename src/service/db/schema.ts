import { boolean, integer, jsonb, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, moment, rowId } from './columns.ts';

export { assistants } from './assistants-table.ts';
export { documentSources } from './document-sources-table.ts';

/*
 * The columns that the code reads and writes, for typed queries. The numbered migrations are the truth about the
 * tables: defaults, checks, keys and indexes stand there alone.
 */

/** Key/value pairs of an assistant or a conversation. */
export type StoredVariables = Record<string, unknown>;

/** What was made of a conversation or a call that is over; empty where nobody said anything, or it was not wanted. */
export type StoredEvaluation = Partial<Record<'sentiment' | 'outcome' | 'score', string | number | null>>;

/** A tool that was called during a reply, as it is stored and as the wire shows it. */
export interface StoredFunctionCall {
  name: string;
  arguments: Record<string, unknown>;
  result?: unknown;
  /** Whether the page was asked to run it. */
  client?: true;
}

/** What a tool of the page returned, as it is stored and as the wire has it. */
export interface StoredToolResult {
  name: string;
  arguments: Record<string, unknown>;
  result?: unknown;
}

export const users = pgTable('users', {
  id: integer().generatedAlwaysAsIdentity(),
  name: text().notNull(),
  email: text().notNull(),
  balance: numeric().notNull().default('0'),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const apiKeys = pgTable('api_keys', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
  keyHash: bytea('key_hash').notNull(),
  lastUsedAt: moment('last_used_at'),
  createdAt: moment('created_at').notNull().defaultNow(),
});

export const languages = pgTable('languages', {
  id: integer().notNull(),
  name: text().notNull(),
  iso2: text('iso_2').notNull(),
  textSearchConfig: text('text_search_config').notNull(),
});

export const knowledgebases = pgTable('knowledgebases', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  status: text({ enum: ['empty', 'processing', 'active'] })
    .notNull()
    .default('empty'),
  textSearchConfig: text('text_search_config').notNull().default('simple'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const documents = pgTable('documents', {
  id: integer().generatedAlwaysAsIdentity(),
  knowledgebaseId: integer('knowledgebase_id').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  type: text({ enum: ['website', 'pdf', 'txt', 'docx'] }).notNull(),
  status: text({ enum: ['processing', 'active', 'failed'] })
    .notNull()
    .default('processing'),
  contentHash: bytea('content_hash'),
  failure: text(),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const conversations = pgTable('conversations', {
  id: rowId().generatedAlwaysAsIdentity(),
  uuid: uuid().notNull(),
  assistantId: integer('assistant_id').notNull(),
  type: text({ enum: ['widget', 'test'] }).notNull(),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  turns: integer().notNull().default(0),
  aiEnabled: boolean('ai_enabled').notNull().default(true),
  endedAt: moment('ended_at'),
  customerIdentifier: text('customer_identifier'),
  evaluation: jsonb().$type<StoredEvaluation>(),
  extractedVariables: jsonb('extracted_variables').$type<StoredVariables>(),
  endHandledUntil: moment('end_handled_until'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export const messages = pgTable('messages', {
  id: rowId().generatedAlwaysAsIdentity(),
  conversationId: rowId('conversation_id').notNull(),
  turn: integer().notNull(),
  role: text({ enum: ['assistant', 'user', 'system'] }).notNull(),
  content: text().notNull(),
  functionCalls: jsonb('function_calls').$type<StoredFunctionCall[]>().notNull().default([]),
  toolResults: jsonb('tool_results').$type<StoredToolResult[]>().notNull().default([]),
  replyState: text('reply_state', { enum: ['pending', 'answered', 'failed', 'done'] })
    .notNull()
    .default('done'),
  failure: text(),
  replyOwner: uuid('reply_owner'),
  replyLeaseUntil: moment('reply_lease_until'),
  replyStopRequested: boolean('reply_stop_requested').notNull().default(false),
  inReplyTo: rowId('in_reply_to'),
  cost: numeric().notNull().default('0'),
  createdAt: moment('created_at').notNull().defaultNow(),
});

export const ledgerEntries = pgTable('ledger_entries', {
  id: rowId().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  messageId: rowId('message_id'),
  callId: integer('call_id'),
  callMinute: integer('call_minute'),
  kind: text({ enum: ['top_up', 'charge', 'refund'] }).notNull(),
  amount: numeric().notNull(),
  balanceAfter: numeric('balance_after').notNull(),
});

export const idempotencyKeys = pgTable('idempotency_keys', {
  scope: text().notNull(),
  keyHash: bytea('key_hash').notNull(),
  requestHash: bytea('request_hash').notNull(),
  conversationId: rowId('conversation_id'),
  messageId: rowId('message_id'),
  callId: integer('call_id'),
  createdAt: moment('created_at').notNull().defaultNow(),
  expiresAt: moment('expires_at').notNull(),
});
