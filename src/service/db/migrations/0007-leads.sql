-- Leads: the people whom a campaign calls.

CREATE TABLE leads (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  phone_number text NOT NULL,
  variables jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'created' CHECK (status IN
    ('created', 'scheduled', 'processing', 'completed', 'rescheduled', 'reached-max-retries', 'blacklisted')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX leads_user ON leads (user_id, id);
CREATE INDEX leads_campaign ON leads (campaign_id, phone_number);

-- Contacts that are tried when the lead itself is not reached, in the order of their ids.
CREATE TABLE secondary_contacts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  lead_id integer NOT NULL REFERENCES leads ON DELETE CASCADE,
  phone_number text NOT NULL,
  variables jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'created' CHECK (status IN
    ('created', 'scheduled', 'processing', 'completed', 'rescheduled', 'reached-max-retries', 'blacklisted')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX secondary_contacts_lead ON secondary_contacts (lead_id, id);
