import type { Pool } from 'pg';

/**
 * Rules for a database without work in progress. Each query returns the rows that violate its rule. Finished jobs are
 * deleted after ten minutes, so a long test may find none.
 */
const rules = {
  'every message is answered once, or refunded once': `
    SELECT messages.id, reply_state, replies, charges, refunds FROM messages
    JOIN conversations ON conversations.id = conversation_id,
    LATERAL (SELECT count(*)::int AS replies FROM messages AS reply WHERE reply.in_reply_to = messages.id) AS answered,
    LATERAL (SELECT count(*) FILTER (WHERE kind = 'charge' AND amount = -0.01)::int AS charges,
      count(*) FILTER (WHERE kind = 'refund' AND amount = 0.01)::int AS refunds
      FROM ledger_entries WHERE message_id = messages.id) AS paid
    WHERE role = 'user' AND conversations.type = 'widget' AND (reply_state, replies, charges, refunds)
      NOT IN (('answered', 1, 1, 0), ('failed', 0, 1, 1))`,
  'the ledger adds up to the balance': `
    SELECT id, balance, sum FROM users,
    LATERAL (SELECT sum(amount), min(balance_after) FROM ledger_entries WHERE user_id = users.id) AS ledger
    WHERE balance <> sum OR min < 0`,
  'every call has ended once': `
    SELECT id, status, end_reason, ends FROM calls,
    LATERAL (SELECT count(*)::int AS ends FROM jobs.job
      WHERE name = 'call-ended' AND (data->>'callId')::int = calls.id) AS handled
    WHERE status IN ('initiated', 'ringing', 'in-progress') OR ends > 1 OR end_handled_at IS NULL`,
  'every call is charged once, or not at all if it was interrupted': `
    SELECT id, status, duration, total_cost, paid, minutes FROM calls,
    LATERAL (SELECT -coalesce(sum(amount), 0) AS paid, count(*) FILTER (WHERE kind = 'charge') AS minutes
      FROM ledger_entries WHERE call_id = calls.id) AS ledger
    WHERE paid <> total_cost OR status = 'failed' AND paid <> 0
      OR status <> 'failed' AND minutes <> ceil(greatest(duration, 0.01) / 60.0)`,
  'every chat has ended and has sent one webhook': `
    SELECT id, ends, deliveries FROM conversations,
    LATERAL (SELECT count(*)::int AS ends FROM jobs.job
      WHERE name = 'conversation-ended' AND (data->>'conversationId')::bigint = conversations.id) AS handled,
    LATERAL (SELECT count(*)::int AS deliveries FROM webhook_deliveries
      WHERE conversation_id = conversations.id) AS sent
    WHERE ended_at IS NULL OR ends > 1 OR deliveries <> 1`,
  'every call has sent one webhook': `
    SELECT id, deliveries FROM calls,
    LATERAL (SELECT count(*)::int AS deliveries FROM webhook_deliveries WHERE call_id = calls.id) AS sent
    WHERE deliveries <> 1`,
  'every webhook was delivered, unless its address fails': `
    SELECT id, status, error FROM webhook_deliveries
    WHERE status = 'pending' OR status = 'failed' AND NOT EXISTS (SELECT 1 FROM failing_webhook_urls AS failing
      WHERE failing.user_id = webhook_deliveries.user_id AND failing.url = webhook_deliveries.url)`,
  // Hourly jobs are not due yet.
  'every job is done': `
    SELECT name, state, data, output FROM jobs.job
    WHERE state <> 'completed' AND start_after < now() + interval '5 minutes'`,
} as const;

/**
 * Returns the rows that violate a rule, by rule. Expects that every chat was charged and ended by its assistant, that
 * every call was answered or interrupted, and that all of them have a webhook.
 */
export async function findDiscrepancies(pool: Pool): Promise<Partial<Record<keyof typeof rules, unknown[]>>> {
  const discrepancies: [string, unknown[]][] = [];
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await pool.query(query);
    if (rows.length > 0) discrepancies.push([rule, rows]);
  }
  return Object.fromEntries(discrepancies);
}
