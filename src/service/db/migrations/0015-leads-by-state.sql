-- A campaign looks for its leads whenever a call ends, and may have many: by their state, and for the next ones.

CREATE INDEX leads_state ON leads (campaign_id, status);
DROP INDEX leads_due;
CREATE INDEX leads_due ON leads (campaign_id, next_try_at, id) WHERE status IN ('scheduled', 'rescheduled');
