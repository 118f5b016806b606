-- Money, keys, assistants, conversations and knowledge. Everything later issues need of an assistant is here already,
-- so that creating assistants over the interface adds no column.

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  -- USD. Only changed together with an entry in ledger_entries, in the same transaction.
  balance numeric(14, 4) NOT NULL DEFAULT 0 CHECK (balance >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE api_keys (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  -- SHA-256 of the key. The key itself is shown once and never stored.
  key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE languages (
  id integer PRIMARY KEY,
  name text NOT NULL,
  iso_2 text NOT NULL UNIQUE CHECK (length(iso_2) = 2),
  -- Name of the PostgreSQL text search configuration that stems this language; `simple` stems nothing.
  text_search_config text NOT NULL DEFAULT 'simple'
);

CREATE TABLE knowledgebases (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'empty' CHECK (status IN ('empty', 'processing', 'active')),
  text_search_config text NOT NULL DEFAULT 'simple',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX knowledgebases_user ON knowledgebases (user_id);

CREATE TABLE documents (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  knowledgebase_id integer NOT NULL REFERENCES knowledgebases ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  type text NOT NULL CHECK (type IN ('website', 'pdf', 'txt', 'docx')),
  status text NOT NULL DEFAULT 'processing' CHECK (status IN ('processing', 'active', 'failed')),
  -- SHA-256 of the content that the chunks were made of.
  content_hash bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX documents_knowledgebase ON documents (knowledgebase_id);

CREATE TABLE chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  knowledgebase_id integer NOT NULL REFERENCES knowledgebases ON DELETE CASCADE,
  document_id integer NOT NULL REFERENCES documents ON DELETE CASCADE,
  position integer NOT NULL,
  heading text NOT NULL,
  body text NOT NULL,
  -- The heading has weight A, the document's name B, the body D.
  search tsvector NOT NULL,
  UNIQUE (document_id, position)
);
CREATE INDEX chunks_knowledgebase ON chunks (knowledgebase_id);
CREATE INDEX chunks_search ON chunks USING gin (search);

CREATE TABLE assistants (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL UNIQUE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL CHECK (length(name) <= 255),
  type text NOT NULL DEFAULT 'inbound' CHECK (type IN ('inbound', 'outbound')),
  mode text NOT NULL DEFAULT 'pipeline' CHECK (mode IN ('pipeline', 'multimodal', 'dualplex')),
  status text NOT NULL DEFAULT 'inactive' CHECK (status IN ('active', 'inactive')),
  phone_number_id integer,
  engine_id integer,
  synthesizer_id integer,
  transcriber_id integer,
  instance_id integer,
  flows_platform_id integer,
  voice_id integer NOT NULL,
  language_id integer NOT NULL REFERENCES languages,
  secondary_language_ids integer[] NOT NULL DEFAULT '{}',
  llm_model_id integer,
  multimodal_model_id integer,
  chat_llm_fallback_id integer,
  turn_detection_threshold numeric(3, 2),
  transcriber_provider_id integer,
  synthesizer_provider_id integer,
  timezone text NOT NULL DEFAULT 'UTC',
  initial_message text NOT NULL DEFAULT '' CHECK (length(initial_message) <= 200),
  system_prompt text NOT NULL DEFAULT '',
  variables jsonb NOT NULL DEFAULT '{}',
  post_call_evaluation boolean NOT NULL DEFAULT true,
  post_call_schema jsonb NOT NULL DEFAULT '[]',
  tools jsonb NOT NULL DEFAULT '[]',
  tool_ids integer[] NOT NULL DEFAULT '{}',
  fillers boolean NOT NULL DEFAULT false,
  filler_config jsonb NOT NULL DEFAULT '{"neutral": [], "negative": [], "positive": [], "question": []}',
  is_webhook_active boolean NOT NULL DEFAULT false,
  webhook_url text,
  inbound_webhook_url text,
  conversation_ended_webhook_url text,
  send_webhook_only_on_completed boolean NOT NULL DEFAULT true,
  include_recording_in_webhook boolean NOT NULL DEFAULT true,
  max_duration integer NOT NULL DEFAULT 600,
  max_silence_duration integer NOT NULL DEFAULT 40,
  max_initial_silence_duration integer,
  ringing_time integer NOT NULL DEFAULT 30,
  reengagement_interval integer NOT NULL DEFAULT 30,
  reengagement_prompt text,
  record boolean NOT NULL DEFAULT false,
  end_call_on_voicemail boolean NOT NULL DEFAULT true,
  voice_mail_message text,
  llm_temperature numeric(3, 2) NOT NULL DEFAULT 0.10,
  tts_emotion_enabled boolean NOT NULL DEFAULT true,
  voice_stability numeric(3, 2) NOT NULL DEFAULT 0.70,
  voice_similarity numeric(3, 2) NOT NULL DEFAULT 0.50,
  speech_speed numeric(3, 2) NOT NULL DEFAULT 1.00,
  allow_interruptions boolean NOT NULL DEFAULT true,
  enable_noise_cancellation boolean NOT NULL DEFAULT true,
  wait_for_customer boolean NOT NULL DEFAULT false,
  endpoint_type text NOT NULL DEFAULT 'vad' CHECK (endpoint_type IN ('vad', 'ai')),
  endpoint_sensitivity numeric(4, 2) NOT NULL DEFAULT 0.5,
  interrupt_sensitivity numeric(4, 2) NOT NULL DEFAULT 0.5,
  min_interrupt_words integer,
  ambient_sound text NOT NULL DEFAULT 'off',
  ambient_sound_volume numeric(3, 2) NOT NULL DEFAULT 0.50,
  knowledgebase_id integer REFERENCES knowledgebases ON DELETE SET NULL,
  knowledgebase_mode text CHECK (knowledgebase_mode IN ('function_call', 'prompt', 'hybrid')),
  conversation_inactivity_timeout integer NOT NULL DEFAULT 30,
  conversation_ended_retrigger boolean NOT NULL DEFAULT false,
  widget_settings jsonb NOT NULL DEFAULT '{"theme": "light", "color": "#3B82F6", "position": "right-bottom"}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX assistants_user ON assistants (user_id);
CREATE INDEX assistants_language ON assistants (language_id);
CREATE INDEX assistants_knowledgebase ON assistants (knowledgebase_id);

CREATE TABLE conversations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The capability: whoever knows it reads the conversation and writes in it.
  uuid uuid NOT NULL UNIQUE,
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  type text NOT NULL CHECK (type IN ('widget', 'test')),
  variables jsonb NOT NULL DEFAULT '{}',
  -- Number of the latest turn: a user's message and its reply share one. The initial message is turn 0.
  turns integer NOT NULL DEFAULT 0,
  ai_enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX conversations_assistant ON conversations (assistant_id, created_at);

CREATE TABLE messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
  turn integer NOT NULL,
  role text NOT NULL CHECK (role IN ('assistant', 'user', 'system')),
  content text NOT NULL,
  function_calls jsonb NOT NULL DEFAULT '[]',
  -- Of a user's message: whether its reply is under way, stored, or given up (and refunded). Else `done`.
  reply_state text NOT NULL DEFAULT 'done' CHECK (reply_state IN ('pending', 'answered', 'failed', 'done')),
  failure text,
  -- The process that writes the reply, and until when it promised to. A reply past its lease has been abandoned.
  reply_owner uuid,
  reply_lease_until timestamptz,
  in_reply_to bigint UNIQUE REFERENCES messages ON DELETE CASCADE,
  cost numeric(14, 4) NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((reply_state = 'pending') = (reply_owner IS NOT NULL AND reply_lease_until IS NOT NULL)),
  CHECK (role = 'user' OR reply_state = 'done')
);
CREATE INDEX messages_history ON messages (conversation_id, turn, id);
CREATE UNIQUE INDEX messages_one_user_message_a_turn ON messages (conversation_id, turn) WHERE role = 'user';
CREATE INDEX messages_pending ON messages (reply_lease_until) WHERE reply_state = 'pending';

CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  message_id bigint REFERENCES messages ON DELETE SET NULL,
  kind text NOT NULL CHECK (kind IN ('top_up', 'charge', 'refund')),
  -- USD, negative for what the user pays.
  amount numeric(14, 4) NOT NULL,
  balance_after numeric(14, 4) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id);
-- A message is charged at most once and refunded at most once, whatever the code above believes.
CREATE UNIQUE INDEX ledger_entries_once_a_message ON ledger_entries (message_id, kind) WHERE message_id IS NOT NULL;

CREATE TABLE idempotency_keys (
  -- `open`, or the UUID of the conversation that the message goes to.
  scope text NOT NULL,
  key_hash bytea NOT NULL,
  request_hash bytea NOT NULL,
  conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
  message_id bigint REFERENCES messages ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_conversation ON idempotency_keys (conversation_id);
CREATE INDEX idempotency_keys_message ON idempotency_keys (message_id);

-- The shape that rate-limiter-flexible reads and writes. Losing it in a crash only forgives a few requests.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX rate_limits_expiry ON rate_limits (expire);
