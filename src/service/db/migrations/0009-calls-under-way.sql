-- Calls that are made: who makes one, what was said, what it costs; and how far campaigns have got with their leads.

ALTER TABLE calls
  -- What the call began with: the assistant's variables under those of its request, campaign lead or contact.
  ADD COLUMN input_variables jsonb NOT NULL DEFAULT '{}',
  -- [{role, content, at, seconds}]; seconds since the call was answered.
  ADD COLUMN lines jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN answered_at timestamptz,
  ADD COLUMN ended_at timestamptz,
  ADD COLUMN end_reason text,
  -- The process that makes the call, and until when it promised to. A call past its lease has been abandoned.
  ADD COLUMN lease_owner uuid,
  ADD COLUMN lease_until timestamptz,
  -- Whoever knows it hears the recording.
  ADD COLUMN recording_token text UNIQUE,
  -- The contact of the lead that was called, if it was not the lead itself.
  ADD COLUMN contact_id integer REFERENCES secondary_contacts ON DELETE SET NULL;
UPDATE calls SET ended_at = updated_at WHERE status NOT IN ('initiated', 'ringing', 'in-progress');
CREATE INDEX calls_contact ON calls (contact_id);
CREATE INDEX calls_lease ON calls (lease_until) WHERE status IN ('initiated', 'ringing', 'in-progress');
-- Whatever the code above believes, nobody is called twice at once for one lead.
CREATE UNIQUE INDEX calls_one_open_a_lead ON calls (lead_id)
  WHERE status IN ('initiated', 'ringing', 'in-progress') AND lead_id IS NOT NULL;

ALTER TABLE ledger_entries
  ADD COLUMN call_id integer REFERENCES calls ON DELETE SET NULL,
  -- The minute that is paid for, the first being 1; 0 of a refund, which is of all minutes.
  ADD COLUMN call_minute integer;
CREATE UNIQUE INDEX ledger_entries_once_a_minute ON ledger_entries (call_id, kind, call_minute)
  WHERE call_id IS NOT NULL;
CREATE INDEX ledger_entries_call ON ledger_entries (call_id);

ALTER TABLE campaigns
  -- Why the service stopped it, if it did.
  ADD COLUMN stop_reason text,
  -- Calls made so far, by which the numbers take turns.
  ADD COLUMN calls_made integer NOT NULL DEFAULT 0;

ALTER TABLE leads
  -- Rounds through the lead and its contacts in which nobody was reached.
  ADD COLUMN tries integer NOT NULL DEFAULT 0,
  -- The contact that is to be called next in this round; null: the lead itself.
  ADD COLUMN next_contact_id integer REFERENCES secondary_contacts ON DELETE SET NULL,
  ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX leads_next_contact ON leads (next_contact_id);
CREATE INDEX leads_due ON leads (campaign_id, next_try_at) WHERE status IN ('scheduled', 'rescheduled');

-- Numbers that no call of their user's goes to, because whoever answered asked not to be called again.
CREATE TABLE blocked_numbers (
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  phone_number text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, phone_number)
);
