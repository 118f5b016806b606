import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  interval,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { historyEvents } from '../../contract/chat-endpoints.ts';
import { bytea, sealed, timestamptz, rowId } from './columns.ts';
import { scopes } from '../../contract/operations.ts';
import type { RecordKind, Scope } from '../../contract/operations.ts';

export { assistants } from './assistants-table.ts';
export { documentSources } from './document-sources-table.ts';

/*
 * The columns that the code uses, for typed queries. The migrations define the tables: only they have the defaults,
 * checks, keys and indexes that apply.
 */

/** Key/value pairs of an assistant or a conversation. */
export type StoredVariables = Record<string, unknown>;

/** The evaluation of an ended conversation or call. A result that it could not find is absent. */
export type StoredEvaluation = Partial<Record<'sentiment' | 'outcome' | 'score', string | number>>;

/** A function call of a reply, as stored and on the wire. */
export interface StoredFunctionCall {
  name: string;
  arguments: Record<string, unknown>;
  result?: unknown;
  /** Whether the page runs it. */
  client?: true;
  /** Whether visitors get the name alone. */
  private?: true;
}

/** The result of a page tool, as stored and on the wire. */
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
  dailySpendingLimit: numeric('daily_spending_limit').default('500'),
  spentToday: numeric('spent_today').notNull().default('0'),
  spentOn: date('spent_on').notNull().defaultNow(),
  callsToday: integer('calls_today').notNull().default(0),
  callsOn: date('calls_on').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

export const apiKeys = pgTable('api_keys', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
  keyHash: bytea('key_hash').notNull(),
  scopes: text()
    .array()
    .$type<Scope[]>()
    .notNull()
    .default([...scopes]),
  expiresAt: timestamptz('expires_at'),
  allowedAddresses: text('allowed_addresses').array().notNull().default([]),
  lifetime: interval(),
  replacedBy: integer('replaced_by'),
  lastUsedAt: timestamptz('last_used_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
});

export const auditLog = pgTable('audit_log', {
  id: rowId(),
  userId: integer('user_id'),
  actor: text().$type<'api-key' | 'command-line'>().notNull(),
  keyId: integer('key_id'),
  keyName: text('key_name'),
  address: text(),
  operation: text().notNull(),
  object: text().$type<RecordKind>().notNull(),
  objectId: text('object_id'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
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
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
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
  textSearchConfig: text('text_search_config').notNull().default('simple'),
  failure: text(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** Keys that the processes share. */
export const signingKeys = pgTable('signing_keys', {
  name: text({ enum: ['proof-of-work'] }).notNull(),
  key: uuid().notNull(),
});

/** The usage of a day's conversations, by kind of limit. */
export const dailyUsage = pgTable(
  'daily_usage',
  {
    assistantId: integer('assistant_id').notNull(),
    day: date().notNull(),
    kind: text({ enum: ['assistant', 'test', 'visitor', 'network', 'notice'] }).notNull(),
    /** The visitor's block of addresses, or the limit of a notice; empty for other kinds. */
    subject: text().notNull(),
    conversations: integer().notNull(),
    messages: integer().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.assistantId, table.day, table.kind, table.subject] })],
);

export const modelUsage = pgTable(
  'model_usage',
  {
    assistantId: integer('assistant_id').notNull(),
    day: date().notNull(),
    model: text().notNull(),
    replies: integer().notNull(),
    evaluations: integer().notNull(),
    transcriptions: integer().notNull(),
    /** Of the audio, if its transcription has no tokens. */
    transcribedSeconds: doublePrecision('transcribed_seconds').notNull(),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull(),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull(),
    /** USD, of the tokens whose price was configured. */
    cost: numeric().notNull(),
    hasUnknownCost: boolean('has_unknown_cost').notNull(),
  },
  (table) => [primaryKey({ columns: [table.assistantId, table.day, table.model] })],
);

export const conversations = pgTable('conversations', {
  id: rowId().generatedAlwaysAsIdentity(),
  uuid: uuid().notNull(),
  assistantId: integer('assistant_id').notNull(),
  type: text({ enum: ['widget', 'test'] }).notNull(),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  turns: integer().notNull().default(0),
  isPreview: boolean('is_preview').notNull().default(false),
  aiEnabled: boolean('ai_enabled').notNull().default(true),
  endedAt: timestamptz('ended_at'),
  verifiedUser: text('verified_user'),
  customerIdentifier: text('customer_identifier'),
  evaluation: jsonb().$type<StoredEvaluation>(),
  extractedVariables: jsonb('extracted_variables').$type<StoredVariables>(),
  inactivityCheckAt: timestamptz('inactivity_check_at').notNull().defaultNow(),
  endHandledUntil: timestamptz('end_handled_until'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** Tokens of owners for conversations of type `test`. */
export const previewTokens = pgTable('preview_tokens', {
  tokenHash: bytea('token_hash').notNull(),
  assistantId: integer('assistant_id').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
});

/** The keys that verify user tokens. Separate from `assistants`, whose records show every column. */
export const userTokenKeys = pgTable('user_token_keys', {
  assistantId: integer('assistant_id').notNull(),
  algorithm: text({ enum: ['HS256', 'EdDSA'] }).notNull(),
  key: sealed().notNull(),
});

export const messages = pgTable('messages', {
  id: rowId().generatedAlwaysAsIdentity(),
  conversationId: rowId('conversation_id').notNull(),
  turn: integer().notNull(),
  role: text({ enum: ['assistant', 'user', 'system'] }).notNull(),
  content: text().notNull(),
  event: text({ enum: historyEvents }),
  duration: integer(),
  author: text(),
  functionCalls: jsonb('function_calls').$type<StoredFunctionCall[]>().notNull().default([]),
  toolResults: jsonb('tool_results').$type<StoredToolResult[]>().notNull().default([]),
  replyState: text('reply_state', { enum: ['pending', 'answered', 'failed', 'none'] })
    .notNull()
    .default('none'),
  failure: text(),
  problem: text(),
  replyOwner: uuid('reply_owner'),
  replyLeaseUntil: timestamptz('reply_lease_until'),
  replyStopRequested: boolean('reply_stop_requested').notNull().default(false),
  inReplyTo: rowId('in_reply_to'),
  cost: numeric().notNull().default('0'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
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
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  expiresAt: timestamptz('expires_at').notNull(),
});
