import { sql } from 'drizzle-orm';
import { assistants, conversations } from '../db/schema.ts';

/**
 * Whether a conversation takes no more messages: none came for as long as its assistant waits, and the assistant does
 * not let it go on. For queries that join both tables. Nothing is stored, so a change of the settings counts at once,
 * and what a person writes brings the conversation back.
 */
export const hasEnded = sql<boolean>`NOT ${assistants.conversationEndedRetrigger} AND
  ${conversations.updatedAt} < now() - ${assistants.conversationInactivityTimeout} * interval '1 minute'`;
