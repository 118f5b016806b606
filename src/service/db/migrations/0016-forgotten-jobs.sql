-- Finds the ends that nobody was told of, and the webhooks that still wait, to send their jobs again.

-- Not over `updated_at`, which changes with every message: updates stay within the table's pages.
CREATE INDEX conversations_ended ON conversations (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_unhandled ON calls (ended_at) WHERE end_handled_at IS NULL;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
