-- Records of calls.

-- Names and numbers are copies: the record says what was, whatever becomes of assistant, campaign and number.
CREATE TABLE calls (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  assistant_id integer REFERENCES assistants ON DELETE SET NULL,
  campaign_id integer REFERENCES campaigns ON DELETE SET NULL,
  lead_id integer REFERENCES leads ON DELETE SET NULL,
  assistant_name text NOT NULL,
  campaign_name text,
  type text NOT NULL CHECK (type IN ('inbound', 'outbound', 'web')),
  status text NOT NULL DEFAULT 'initiated' CHECK (status IN ('initiated', 'ringing', 'busy', 'in-progress', 'ended',
    'completed', 'ended_by_customer', 'ended_by_assistant', 'no-answer', 'failed')),
  -- Seconds.
  duration integer NOT NULL DEFAULT 0,
  assistant_phone_number text NOT NULL DEFAULT '',
  client_phone_number text NOT NULL DEFAULT '',
  transcript text NOT NULL DEFAULT '',
  variables jsonb NOT NULL DEFAULT '{}',
  evaluation jsonb NOT NULL DEFAULT '{}',
  webhook_response jsonb NOT NULL DEFAULT '{}',
  -- USD.
  carrier_cost numeric(14, 4) NOT NULL DEFAULT 0,
  total_cost numeric(14, 4) NOT NULL DEFAULT 0,
  answered_by text NOT NULL DEFAULT 'unknown' CHECK (answered_by IN ('human', 'machine', 'unknown')),
  recording_url text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX calls_user ON calls (user_id, id);
CREATE INDEX calls_assistant ON calls (assistant_id);
CREATE INDEX calls_campaign ON calls (campaign_id);
CREATE INDEX calls_lead ON calls (lead_id);
