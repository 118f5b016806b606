import { inArray, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import { assistants, conversations, messages } from '../db/schema.ts';

/*
 * Conditions for queries that join conversations with assistants.
 */

/**
 * Whether the inactivity timeout of the assistant has passed. It does not pass while a reply is being written, or during
 * a call.
 */
export const isInactive = sql<boolean>`(${conversations.updatedAt} <
  now() - ${assistants.conversationInactivityTimeout} * interval '1 minute'
  AND NOT EXISTS (SELECT 1 FROM ${messages}
    WHERE ${messages.conversationId} = ${conversations.id} AND ${messages.replyState} = 'pending')
  AND NOT EXISTS (SELECT 1 FROM ${calls}
    WHERE ${calls.conversationId} = ${conversations.id} AND ${inArray(calls.status, openCallStatuses)}))`;

/**
 * Whether a conversation accepts no more messages: it has as many as its assistant allows, or it is over and its
 * assistant does not resume conversations.
 */
export const hasEnded = sql<boolean>`(${conversations.turns} >= ${assistants.maxConversationMessages}
  OR (NOT ${assistants.conversationEndedRetrigger} AND (${conversations.endedAt} IS NOT NULL OR ${isInactive})))`;
