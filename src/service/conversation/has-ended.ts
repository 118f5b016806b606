import { sql } from 'drizzle-orm';
import { assistants, conversations } from '../db/schema.ts';

/** Whether nothing was said for as long as the assistant waits. For queries that join both tables, as all of these. */
export const isQuiet = sql<boolean>`${conversations.updatedAt} <
  now() - ${assistants.conversationInactivityTimeout} * interval '1 minute'`;

/** Whether the end has come: by the assistant, or by silence, also one that nobody has noticed yet. */
export const isOver = sql<boolean>`(${conversations.endedAt} IS NOT NULL OR ${isQuiet})`;

/** Whether a conversation takes no more messages: it is over, and the assistant does not let it go on. */
export const hasEnded = sql<boolean>`NOT ${assistants.conversationEndedRetrigger} AND ${isOver}`;
