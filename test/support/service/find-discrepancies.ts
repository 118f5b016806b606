import type { Pool } from 'pg';

/** What must not be found in a database in which nothing is under way any more; each finds the rows that break a rule. */
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
      WHERE name = 'call-ended' AND (data->>'callId')::int = calls.id) AS told
    WHERE status IN ('initiated', 'ringing', 'in-progress') OR ends <> 1 OR end_handled_at IS NULL`,
  'every call is paid for once, and costs nothing if it was cut off': `
    SELECT id, status, duration, total_cost, paid, minutes FROM calls,
    LATERAL (SELECT -coalesce(sum(amount), 0) AS paid, count(*) FILTER (WHERE kind = 'charge') AS minutes
      FROM ledger_entries WHERE call_id = calls.id) AS ledger
    WHERE paid <> total_cost OR status = 'failed' AND paid <> 0
      OR status <> 'failed' AND minutes <> ceil(greatest(duration, 0.01) / 60.0)`,
  'every chat that ended was told of once': `
    SELECT id, ends, deliveries FROM conversations,
    LATERAL (SELECT count(*)::int AS ends FROM jobs.job
      WHERE name = 'conversation-ended' AND (data->>'conversationId')::bigint = conversations.id) AS told,
    LATERAL (SELECT count(*)::int AS deliveries FROM webhook_deliveries
      WHERE conversation_id = conversations.id) AS sent
    WHERE ended_at IS NULL OR ends <> 1 OR deliveries <> 1`,
  'every call was told of once': `
    SELECT id, deliveries FROM calls,
    LATERAL (SELECT count(*)::int AS deliveries FROM webhook_deliveries WHERE call_id = calls.id) AS sent
    WHERE deliveries <> 1`,
  'every webhook was delivered': `SELECT id, status, error FROM webhook_deliveries WHERE status <> 'delivered'`,
  // Those apart that run every hour.
  'every job is done': `
    SELECT name, state, data, output FROM jobs.job
    WHERE state <> 'completed' AND start_after < now() + interval '5 minutes'`,
} as const;

/**
 * The rows that break a rule, by the rule: of a service whose chats were all paid for, were all ended by their
 * assistant and have a webhook, as its calls have, which were all answered unless they were cut off.
 */
export async function findDiscrepancies(pool: Pool): Promise<Partial<Record<keyof typeof rules, unknown[]>>> {
  const found: [string, unknown[]][] = [];
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await pool.query(query);
    if (rows.length > 0) found.push([rule, rows]);
  }
  return Object.fromEntries(found);
}
