-- What came of conversations and calls, and the webhooks that tell of it.

ALTER TABLE conversations
  ADD COLUMN evaluation jsonb,
  ADD COLUMN extracted_variables jsonb,
  -- `updated_at` as it was when the latest end was evaluated and told of: a conversation may go on and end again.
  ADD COLUMN end_handled_until timestamptz;

ALTER TABLE calls ADD COLUMN end_handled_at timestamptz;

-- What a user's webhooks are signed with. After a rotation the one before holds for a while.
CREATE TABLE webhook_secrets (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  secret text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null is the current one.
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (user_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_user ON webhook_secrets (user_id);

CREATE TABLE webhook_deliveries (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The same for every attempt, so that receivers know a repetition.
  webhook_id text NOT NULL UNIQUE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  assistant_id integer REFERENCES assistants ON DELETE SET NULL,
  -- With the record goes what was told of it.
  call_id integer REFERENCES calls ON DELETE CASCADE,
  conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
  event text NOT NULL CHECK (event IN ('call-ended', 'inbound-call-ended', 'conversation-ended')),
  url text NOT NULL,
  -- Text, because the signature is over its bytes.
  payload text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- Since the last time that delivering was begun.
  failures integer NOT NULL DEFAULT 0,
  -- Of the last attempt: what was answered, or why nothing was.
  response_status integer,
  response_body text,
  error text,
  next_attempt_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_deliveries_user ON webhook_deliveries (user_id, id);
CREATE INDEX webhook_deliveries_assistant ON webhook_deliveries (assistant_id);
CREATE INDEX webhook_deliveries_call ON webhook_deliveries (call_id);
CREATE INDEX webhook_deliveries_conversation ON webhook_deliveries (conversation_id);
