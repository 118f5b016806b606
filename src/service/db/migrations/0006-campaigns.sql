-- Campaigns: which assistant calls, from which numbers, when, and how often.

CREATE TABLE campaigns (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'in-progress', 'stopped', 'completed')),
  timezone text NOT NULL,
  max_calls_in_parallel integer NOT NULL DEFAULT 3 CHECK (max_calls_in_parallel BETWEEN 1 AND 10),
  -- Hours and minutes in the campaign's time zone.
  allowed_hours_start_time text NOT NULL DEFAULT '00:00',
  allowed_hours_end_time text NOT NULL DEFAULT '23:59',
  allowed_days text[] NOT NULL
    DEFAULT '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}',
  max_retries integer NOT NULL DEFAULT 3 CHECK (max_retries BETWEEN 1 AND 5),
  -- Minutes.
  retry_interval integer NOT NULL DEFAULT 60 CHECK (retry_interval BETWEEN 10 AND 4320),
  retry_on_voicemail boolean NOT NULL DEFAULT false,
  retry_on_goal_incomplete boolean NOT NULL DEFAULT false,
  goal_completion_variable text,
  mark_complete_when_no_leads boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX campaigns_user ON campaigns (user_id);
CREATE INDEX campaigns_assistant ON campaigns (assistant_id);

-- The numbers that a campaign calls from in turn. A number that goes leaves the rotation.
CREATE TABLE campaign_phone_numbers (
  campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  phone_number_id integer NOT NULL REFERENCES phone_numbers ON DELETE CASCADE,
  position integer NOT NULL,
  PRIMARY KEY (campaign_id, phone_number_id)
);
CREATE INDEX campaign_phone_numbers_number ON campaign_phone_numbers (phone_number_id);
