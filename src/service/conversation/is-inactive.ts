import { inArray, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import { assistants, conversations, messages } from '../db/schema.ts';

/*
 * Conditions for queries that join conversations with assistants.
 */

/** Whether a reply of the conversation is being written. */
export const isReplying = sql<boolean>`EXISTS (SELECT 1 FROM ${messages}
  WHERE ${messages.conversationId} = ${conversations.id} AND ${messages.replyState} = 'pending')`;

/**
 * Whether the inactivity timeout of the assistant has passed. It does not pass while a reply is being written, or during
 * a call.
 */
export const isInactive = sql<boolean>`(${conversations.updatedAt} <
  now() - ${assistants.conversationInactivityTimeout} * interval '1 minute'
  AND NOT ${isReplying}
  AND NOT EXISTS (SELECT 1 FROM ${calls}
    WHERE ${calls.conversationId} = ${conversations.id} AND ${inArray(calls.status, openCallStatuses)}))`;
