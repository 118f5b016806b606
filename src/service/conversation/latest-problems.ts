import { sql } from 'drizzle-orm';
import type { ConversationProblem } from '../../contract/conversation.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** Maximum number of problems per conversation in a response. */
const limit = 10;

/** The latest problems of the query's conversation, newest first; null without any. For its owner only. */
export const latestProblems = sql<ConversationProblem[] | null>`(
  SELECT json_agg(json_build_object(
    'kind', CASE latest.reply_state WHEN 'failed' THEN 'reply-failed' ELSE 'left-out' END,
    'reason', latest.problem, 'message', latest.content, 'created_at', ${wireTimestamp(sql`latest.created_at`)}
  ) ORDER BY latest.turn DESC)
  FROM (
    SELECT * FROM messages
    WHERE messages.conversation_id = conversations.id AND messages.problem IS NOT NULL
    ORDER BY messages.turn DESC LIMIT ${sql.raw(String(limit))}
  ) AS latest)`;
