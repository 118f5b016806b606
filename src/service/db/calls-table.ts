import {
  bigint,
  boolean,
  date,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { callStatuses } from '../../contract/call.ts';
import type { EndReason } from '../../contract/call.ts';
import { bytea, timestamptz } from './columns.ts';
import type { StoredFunctionCall, StoredVariables } from './schema.ts';

/** A message of a call; times in seconds since it was answered. */
export interface CallMessage {
  role: 'assistant' | 'user';
  content: string;
  at: number;
  seconds: number;
  /** The functions that the assistant called before it said this. */
  functionCalls?: StoredFunctionCall[];
  /** Seconds from the end of the customer's utterance to the first word of the answer. */
  responseTime?: number;
  /** Set for messages that the assistant's owner wrote: the initial message and the voicemail message. */
  kind?: 'greeting' | 'voicemail';
}

/** Records of calls. */
export const calls = pgTable('calls', {
  id: integer().generatedAlwaysAsIdentity(),
  userId: integer('user_id').notNull(),
  assistantId: integer('assistant_id'),
  campaignId: integer('campaign_id'),
  leadId: integer('lead_id'),
  /** A copy that outlives the lead, to find the calls that have its variables. */
  leadPhoneNumber: text('lead_phone_number'),
  /** Web calls: their conversation. */
  conversationId: bigint('conversation_id', { mode: 'number' }),
  assistantName: text('assistant_name').notNull(),
  campaignName: text('campaign_name'),
  type: text({ enum: ['inbound', 'outbound', 'web'] }).notNull(),
  status: text({ enum: callStatuses }).notNull().default('initiated'),
  duration: integer().notNull().default(0),
  assistantPhoneNumber: text('assistant_phone_number').notNull().default(''),
  clientPhoneNumber: text('client_phone_number').notNull().default(''),
  transcript: text().notNull().default(''),
  variables: jsonb().$type<StoredVariables>().notNull().default({}),
  evaluation: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  webhookResponse: jsonb('webhook_response').$type<Record<string, unknown>>().notNull().default({}),
  carrierCost: numeric('carrier_cost', { mode: 'number' }).notNull().default(0),
  totalCost: numeric('total_cost', { mode: 'number' }).notNull().default(0),
  /** Minutes that were charged when they started, or counted if the call is free. */
  chargedMinutes: integer('charged_minutes').notNull().default(0),
  answeredBy: text('answered_by', { enum: ['human', 'machine', 'unknown'] })
    .notNull()
    .default('unknown'),
  /** The machine that answered is a fax. */
  isFax: boolean('is_fax').notNull().default(false),
  recordingUrl: text('recording_url'),
  inputVariables: jsonb('input_variables').$type<StoredVariables>().notNull().default({}),
  messages: jsonb().$type<readonly CallMessage[]>().notNull().default([]),
  answeredAt: timestamptz('answered_at'),
  endedAt: timestamptz('ended_at'),
  /** An open call has one if the carrier's response to the dialing was an error, for the case that no report follows. */
  endReason: text('end_reason').$type<EndReason>(),
  /** The carrier's id of the call. */
  carrierCallId: text('carrier_call_id'),
  /** The secret that the carrier's requests for this call must contain. */
  token: text(),
  /** Secret of the next connection; null once it is used. */
  connectToken: text('connect_token'),
  dialedAt: timestamptz('dialed_at'),
  transferTo: text('transfer_to'),
  /** Whether the transfer was answered. */
  isTransferAnswered: boolean('is_transfer_answered').notNull().default(false),
  hangUpRequested: boolean('hang_up_requested').notNull().default(false),
  /** Web calls: whether they are recorded, as their visitor was notified at the start. */
  isRecorded: boolean('is_recorded').notNull().default(false),
  carrierRecordingId: text('carrier_recording_id'),
  /** The carrier's duration of the call, once it has reported its end. */
  carrierSeconds: integer('carrier_seconds'),
  /** Connections to the service that were lost since the last one that succeeded. */
  lostConnections: integer('lost_connections').notNull().default(0),
  leaseOwner: uuid('lease_owner'),
  leaseUntil: timestamptz('lease_until'),
  recordingToken: text('recording_token'),
  contactId: integer('contact_id'),
  endHandledAt: timestamptz('end_handled_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
});

/** Parts of the recordings of web calls. */
export const recordingChunks = pgTable(
  'recording_chunks',
  {
    callId: integer('call_id').notNull(),
    /** Position of its first sample, counted from when the call was answered. */
    first: integer().notNull(),
    /** Samples of each side. */
    length: integer().notNull(),
    /** Samples a second; the same in all parts of a recording. */
    rate: integer().notNull(),
    /** The samples of the visitor, then those of the assistant, compressed. */
    audio: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.callId, table.first] })],
);

/** Started minutes of web calls, by owner, day and visitor. */
export const webCallMinutes = pgTable(
  'web_call_minutes',
  {
    userId: integer('user_id').notNull(),
    day: date().notNull(),
    /** The visitor's block of addresses, or network, or the name of a sum. */
    visitor: text().notNull(),
    minutes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.day, table.visitor] })],
);
