-- The whole schema of the first release, with the records that every installation starts with.

-- pg-boss fills it. Created here, under the migrations' lock: two processes that create a schema at once collide.
CREATE SCHEMA IF NOT EXISTS jobs;

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  -- USD. Only changed together with an entry in ledger_entries, in the same transaction.
  balance numeric(14, 4) NOT NULL DEFAULT 0 CHECK (balance >= 0),
  -- USD that messages and calls may cost a day, in UTC; null is no limit.
  daily_spending_limit numeric(14, 4) DEFAULT 500 CHECK (daily_spending_limit >= 0),
  -- What they have cost on the day `spent_on`, refunds deducted.
  spent_today numeric(14, 4) NOT NULL DEFAULT 0,
  spent_on date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  -- Calls on the day `calls_on`, in UTC. Deleted records still count.
  calls_today integer NOT NULL DEFAULT 0,
  calls_on date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
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
  scopes text[] NOT NULL DEFAULT '{read,write,calls,money,inbox}'
    CHECK (scopes <@ '{read,write,calls,money,inbox}' AND scopes <> '{}'),
  expires_at timestamptz,
  -- Ranges in CIDR notation; empty allows any address.
  allowed_addresses text[] NOT NULL DEFAULT '{}',
  -- Of this key and those of its rotations; null if they do not expire.
  lifetime interval,
  -- The key of its rotation.
  replaced_by integer REFERENCES api_keys ON DELETE SET NULL,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE INDEX api_keys_replaced_by ON api_keys (replaced_by);

-- Changes by API keys and the command line. Keys have no reference, since entries outlive them.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer REFERENCES users ON DELETE CASCADE,
  actor text NOT NULL CHECK (actor IN ('api-key', 'command-line')),
  key_id integer,
  key_name text,
  address text,
  operation text NOT NULL,
  object text NOT NULL,
  object_id text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_user ON audit_log (user_id, id);
CREATE INDEX audit_log_age ON audit_log (created_at);

CREATE TABLE languages (
  id integer PRIMARY KEY,
  name text NOT NULL,
  iso_2 text NOT NULL UNIQUE CHECK (length(iso_2) = 2),
  -- Name of the PostgreSQL text search configuration that stems this language; `simple` stems nothing.
  text_search_config text NOT NULL DEFAULT 'simple'
);

INSERT INTO languages (id, name, iso_2, text_search_config) VALUES
  (1, 'English', 'en', 'english'),
  (2, 'German', 'de', 'german'),
  (3, 'Arabic', 'ar', 'arabic'),
  (4, 'French', 'fr', 'french'),
  (5, 'Spanish', 'es', 'spanish'),
  (6, 'Italian', 'it', 'italian'),
  (7, 'Portuguese', 'pt', 'portuguese'),
  (8, 'Dutch', 'nl', 'dutch'),
  (9, 'Polish', 'pl', 'simple'),
  (10, 'Turkish', 'tr', 'turkish'),
  (11, 'Danish', 'da', 'danish'),
  (12, 'Swedish', 'sv', 'swedish'),
  (13, 'Norwegian', 'no', 'norwegian'),
  (14, 'Finnish', 'fi', 'finnish'),
  (15, 'Hungarian', 'hu', 'hungarian'),
  (16, 'Romanian', 'ro', 'romanian'),
  (17, 'Greek', 'el', 'greek'),
  (18, 'Russian', 'ru', 'russian'),
  (19, 'Ukrainian', 'uk', 'simple'),
  (20, 'Czech', 'cs', 'simple'),
  (21, 'Hebrew', 'he', 'simple'),
  (22, 'Hindi', 'hi', 'hindi'),
  (23, 'Chinese', 'zh', 'simple'),
  (24, 'Japanese', 'ja', 'simple'),
  (25, 'Korean', 'ko', 'simple'),
  (26, 'Indonesian', 'id', 'indonesian');

CREATE TABLE providers (
  id integer PRIMARY KEY,
  -- `synthesizer` turns text into speech, `transcriber` speech into text.
  kind text NOT NULL CHECK (kind IN ('synthesizer', 'transcriber')),
  name text NOT NULL,
  code text NOT NULL,
  UNIQUE (kind, code)
);

CREATE TABLE provider_languages (
  provider_id integer NOT NULL REFERENCES providers ON DELETE CASCADE,
  language_id integer NOT NULL REFERENCES languages ON DELETE CASCADE,
  PRIMARY KEY (provider_id, language_id)
);
CREATE INDEX provider_languages_language ON provider_languages (language_id);

CREATE TABLE models (
  id integer PRIMARY KEY,
  type text NOT NULL CHECK (type IN ('llm', 'multimodal', 'dualplex')),
  name text NOT NULL,
  code text NOT NULL UNIQUE
);

CREATE TABLE voices (
  id integer PRIMARY KEY,
  name text NOT NULL,
  language_id integer NOT NULL REFERENCES languages ON DELETE CASCADE,
  synthesizer_provider_id integer NOT NULL REFERENCES providers ON DELETE CASCADE,
  gender text NOT NULL,
  age text NOT NULL,
  accent text NOT NULL,
  preview_url text,
  -- The engine modes that offer this voice.
  modes text[] NOT NULL CHECK (modes <@ ARRAY ['pipeline', 'multimodal', 'dualplex']),
  -- Its name at the provider's endpoint; null if no endpoint is configured.
  code text,
  UNIQUE (synthesizer_provider_id, code, language_id)
);
CREATE INDEX voices_language ON voices (language_id);

INSERT INTO providers (id, kind, name, code) VALUES
  (1, 'synthesizer', 'Standard speech', 'standard-speech'),
  (2, 'synthesizer', 'Expressive speech', 'expressive-speech'),
  (3, 'transcriber', 'Standard transcription', 'standard-transcription'),
  (4, 'transcriber', 'Fast transcription', 'fast-transcription');

-- The second provider of each kind supports only the first eight languages.
INSERT INTO provider_languages (provider_id, language_id)
SELECT providers.id, languages.id FROM providers, languages
WHERE providers.id IN (1, 3) OR languages.id <= 8;

INSERT INTO models (id, type, name, code) VALUES
  (1, 'llm', 'Standard', 'standard'),
  (2, 'multimodal', 'Standard multimodal', 'standard-multimodal'),
  (3, 'dualplex', 'Standard dualplex', 'standard-dualplex');

-- Four voices a language, two of them for the pipeline.
INSERT INTO voices (id, name, language_id, synthesizer_provider_id, gender, age, accent, modes)
SELECT (languages.id - 1) * 4 + kinds.position, kinds.name, languages.id, kinds.provider_id, kinds.gender, kinds.age,
  'standard', kinds.modes
FROM languages, (VALUES
  (1, 'Mira', 1, 'female', 'young', ARRAY ['pipeline', 'dualplex']),
  (2, 'Jonas', 1, 'male', 'middle_aged', ARRAY ['pipeline', 'dualplex']),
  (3, 'Vera', 1, 'female', 'middle_aged', ARRAY ['multimodal']),
  (4, 'Tom', 1, 'male', 'young', ARRAY ['multimodal'])
) AS kinds (position, name, provider_id, gender, age, modes);

CREATE TABLE phone_numbers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  -- E.164.
  phone_number text NOT NULL CHECK (phone_number ~ '^\+[1-9][0-9]{6,14}$'),
  country_code text NOT NULL CHECK (length(country_code) = 2),
  -- `normal`: a dedicated number with a subscription. `caller_id`: shown on outgoing calls only.
  type text NOT NULL DEFAULT 'normal' CHECK (type IN ('normal', 'sip', 'caller_id')),
  nickname text,
  -- Paid for, but the carrier has not confirmed the purchase yet.
  is_pending boolean NOT NULL DEFAULT false,
  sms_capable boolean NOT NULL DEFAULT false,
  region text NOT NULL DEFAULT '',
  has_active_subscription boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When a dedicated number is released, after its owner cancelled it.
  release_at timestamptz,
  -- USD a month, as agreed when the number was bought.
  price numeric(14, 4),
  -- End of the month that is paid for.
  paid_until timestamptz,
  CHECK (NOT has_active_subscription OR (price IS NOT NULL AND paid_until IS NOT NULL)),
  UNIQUE (user_id, phone_number)
);
CREATE INDEX phone_numbers_release ON phone_numbers (release_at) WHERE release_at IS NOT NULL;
CREATE INDEX phone_numbers_paid_until ON phone_numbers (paid_until) WHERE paid_until IS NOT NULL;
-- A dedicated number or a SIP number belongs to one user.
CREATE UNIQUE INDEX phone_numbers_one_owner ON phone_numbers (phone_number) WHERE type <> 'caller_id';

-- Numbers on offer from the simulated carrier. All come from ranges that regulators reserve for fiction and examples,
-- so no real subscriber is ever called.
CREATE TABLE offered_numbers (
  phone_number text PRIMARY KEY,
  country_code text NOT NULL,
  region text NOT NULL,
  -- USD a month.
  price numeric(14, 4) NOT NULL,
  sms_capable boolean NOT NULL
);
CREATE INDEX offered_numbers_country ON offered_numbers (country_code, phone_number);

-- Subscriber numbers that begin with 0 (Austria, Switzerland, the Netherlands) are assigned to nobody.
INSERT INTO offered_numbers (phone_number, country_code, region, price, sms_capable)
SELECT ranges.prefix || lpad(number::text, ranges.digits, '0'),
  ranges.country_code, ranges.region, ranges.price, ranges.sms_capable
FROM generate_series(0, 99) AS number, (VALUES
  ('+4917139200', 2, 'DE', 'Mobile', 2.00, true),
  ('+493023125', 3, 'DE', 'Berlin', 1.50, false),
  ('+4372000', 4, 'AT', 'National', 1.50, false),
  ('+414400000', 2, 'CH', 'Zürich', 1.50, false),
  ('+3120000', 4, 'NL', 'Amsterdam', 1.50, false),
  ('+3319900', 4, 'FR', 'Paris', 1.50, false),
  ('+4420794600', 2, 'GB', 'London', 1.50, false),
  ('+35320913', 4, 'IE', 'National', 1.50, false),
  ('+468465004', 2, 'SE', 'Stockholm', 1.50, false),
  ('+6125550', 4, 'AU', 'Sydney', 1.50, false),
  ('+121255501', 2, 'US', 'New York', 1.00, true),
  ('+141655501', 2, 'CA', 'Toronto', 1.00, true)
) AS ranges (prefix, digits, country_code, region, price, sms_capable);

CREATE TABLE tools (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL,
  endpoint text NOT NULL,
  method text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  timeout integer NOT NULL DEFAULT 10 CHECK (timeout BETWEEN 1 AND 30),
  -- Visitors get its name alone.
  is_private boolean NOT NULL DEFAULT false,
  -- Sealed: unencrypted or encrypted, as all columns with this check (see SecretBox).
  headers text NOT NULL CHECK (headers ~ '^(plain|v1):'),
  schema jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tools_user ON tools (user_id);

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
  -- SHA-256 of the content that the chunks were made from.
  content_hash bytea,
  -- The language of its text; that of most text is the one of the knowledge base.
  text_search_config text NOT NULL DEFAULT 'simple',
  -- Why the document is `failed`, shown to its owner.
  failure text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX documents_knowledgebase ON documents (knowledgebase_id);

-- The input of a document, deleted once it has been processed.
CREATE TABLE document_sources (
  document_id integer PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
  -- Of txt, pdf and docx.
  file bytea,
  -- Of a website: its start addresses, and the number of pages to follow from each.
  links text[],
  relative_links_limit integer,
  -- The documents that are deleted once this one is active.
  replaces integer[] NOT NULL DEFAULT '{}',
  CHECK ((file IS NULL) <> (links IS NULL))
);

CREATE TABLE chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  knowledgebase_id integer NOT NULL REFERENCES knowledgebases ON DELETE CASCADE,
  document_id integer NOT NULL REFERENCES documents ON DELETE CASCADE,
  position integer NOT NULL,
  heading text NOT NULL,
  body text NOT NULL,
  -- Of `chunk_search`: the last heading of the path has weight A, the others and the document's name B, the body D.
  search tsvector NOT NULL,
  -- A unit vector, and the model that computed it. Comparable with or without pgvector.
  embedding real[],
  embedding_model text,
  UNIQUE (document_id, position)
);
CREATE INDEX chunks_knowledgebase ON chunks (knowledgebase_id);
CREATE INDEX chunks_search ON chunks USING gin (search);

-- The text search parser finds words by their spaces. In scripts without spaces, each character with its marks is a word
-- instead, and a longer word is a phrase of them: Thai and Lao, Burmese, Khmer, kana, Han.
CREATE FUNCTION separate_characters(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(value, '([\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff'
    '\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]'
    '[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3]*)', ' \1 ', 'g')
$$;

-- The parser takes `returns/exchanges`, `end.Next` and `-42` for a path, a host and a negative number, but questions are
-- split at these characters. The destination of a link is not its text.
CREATE FUNCTION separate_words(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT separate_characters(regexp_replace(value, '\]\(https?://[!-(*-=?-~]+|[-+./<>@]', ' ', 'gi'))
$$;

CREATE FUNCTION chunk_search(config regconfig, heading text, document text, body text) RETURNS tsvector
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT setweight(to_tsvector(config, separate_words(substring(heading from '[^›]*$'))), 'A')
    || setweight(to_tsvector(config, separate_words(document || ' ' || regexp_replace(heading, '[^›]*$', ''))), 'B')
    || setweight(to_tsvector(config, separate_words(body)), 'D')
$$;

-- The process that embeds chunks now: at most one row.
CREATE TABLE embedding_leases (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  owner uuid NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE assistants (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL UNIQUE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL CHECK (length(name) <= 255),
  type text NOT NULL DEFAULT 'inbound' CHECK (type IN ('inbound', 'outbound')),
  mode text NOT NULL DEFAULT 'pipeline' CHECK (mode IN ('pipeline', 'multimodal', 'dualplex')),
  status text NOT NULL DEFAULT 'inactive' CHECK (status IN ('active', 'inactive')),
  phone_number_id integer REFERENCES phone_numbers ON DELETE SET NULL,
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
  min_interrupt_words integer NOT NULL DEFAULT 0,
  ambient_sound text NOT NULL DEFAULT 'off',
  ambient_sound_volume numeric(3, 2) NOT NULL DEFAULT 0.50,
  knowledgebase_id integer REFERENCES knowledgebases ON DELETE SET NULL,
  knowledgebase_mode text NOT NULL DEFAULT 'function_call'
    CHECK (knowledgebase_mode IN ('function_call', 'prompt', 'hybrid')),
  conversation_inactivity_timeout integer NOT NULL DEFAULT 30,
  max_conversation_messages integer NOT NULL DEFAULT 200,
  max_visitor_messages_per_day integer NOT NULL DEFAULT 1000,
  max_messages_per_day integer NOT NULL DEFAULT 10000,
  max_test_messages_per_day integer NOT NULL DEFAULT 50,
  proof_of_work boolean NOT NULL DEFAULT false,
  web_calls boolean NOT NULL DEFAULT false,
  -- Null is the operator's limit.
  max_concurrent_web_calls integer,
  max_visitor_web_call_minutes_per_day integer,
  max_web_call_minutes_per_day integer,
  -- Origins such as `https://shop.example` or `https://*.shop.example`; empty allows any.
  allowed_origins text[] NOT NULL DEFAULT '{}',
  usage_webhook_url text,
  handoff_webhook_url text,
  -- Names of variables that pages and visitors can neither set nor read.
  private_variables text[] NOT NULL DEFAULT '{}',
  conversation_ended_retrigger boolean NOT NULL DEFAULT false,
  user_token_required boolean NOT NULL DEFAULT false,
  widget_settings jsonb NOT NULL DEFAULT '{"theme": "light", "color": "#3B82F6", "position": "right-bottom"}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX assistants_user ON assistants (user_id);
CREATE INDEX assistants_language ON assistants (language_id);
CREATE INDEX assistants_knowledgebase ON assistants (knowledgebase_id);
CREATE INDEX assistants_phone_number ON assistants (phone_number_id);
CREATE UNIQUE INDEX assistants_one_inbound_a_number ON assistants (phone_number_id)
  WHERE type = 'inbound' AND deleted_at IS NULL AND phone_number_id IS NOT NULL;

-- The usage of a day's conversations, for the daily limits of assistants. `subject` is the address block of a visitor;
-- of a notice to the owner, its limit and percentage.
CREATE TABLE daily_usage (
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assistant', 'test', 'visitor', 'network', 'notice')),
  subject text NOT NULL,
  conversations integer NOT NULL,
  messages integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (assistant_id, day, kind, subject)
);
CREATE INDEX daily_usage_day ON daily_usage (day);

-- What an assistant's replies, evaluations and transcriptions used of a model on a day, in UTC.
CREATE TABLE model_usage (
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  day date NOT NULL,
  model text NOT NULL,
  replies integer NOT NULL,
  evaluations integer NOT NULL,
  transcriptions integer NOT NULL,
  -- Of the audio, if its transcription has no tokens.
  transcribed_seconds double precision NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  -- USD, of the tokens whose price was configured.
  cost numeric NOT NULL,
  has_unknown_cost boolean NOT NULL,
  PRIMARY KEY (assistant_id, day, model)
);

-- Keys that the processes share. Nothing that they sign outlives a day.
CREATE TABLE signing_keys (
  name text PRIMARY KEY,
  key uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO signing_keys (name) VALUES ('proof-of-work');

-- The last time that a process renewed its leases, and the end of the last outage, in which none could.
CREATE TABLE heartbeat (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  last_at timestamptz NOT NULL,
  steady_since timestamptz NOT NULL
);
INSERT INTO heartbeat (last_at, steady_since) VALUES ('-infinity', '-infinity');

-- Proofs that a conversation of type test is the owner's. Only hashes are stored.
CREATE TABLE preview_tokens (
  token_hash bytea PRIMARY KEY,
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX preview_tokens_assistant ON preview_tokens (assistant_id);
CREATE INDEX preview_tokens_expiry ON preview_tokens (expires_at);

-- The key that verifies an assistant's user tokens: a secret for HS256, or a public key (PEM) for EdDSA.
CREATE TABLE user_token_keys (
  assistant_id integer PRIMARY KEY REFERENCES assistants ON DELETE CASCADE,
  algorithm text NOT NULL CHECK (algorithm IN ('HS256', 'EdDSA')),
  key text NOT NULL CHECK (key ~ '^(plain|v1):'),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE conversations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The capability: anyone who has it can read and continue the conversation.
  uuid uuid NOT NULL UNIQUE,
  assistant_id integer NOT NULL REFERENCES assistants ON DELETE CASCADE,
  type text NOT NULL CHECK (type IN ('widget', 'test')),
  variables jsonb NOT NULL DEFAULT '{}',
  -- Number of the latest turn: a user's message and its reply share one. The initial message is turn 0.
  turns integer NOT NULL DEFAULT 0,
  -- Opened by the assistant's owner, proven by a preview token.
  is_preview boolean NOT NULL DEFAULT false,
  -- The `sub` of the visitor's user token. Opening with the same one resumes the conversation.
  verified_user text CHECK (length(verified_user) <= 255),
  ai_enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- The customer's identifier in another system that requests replies over the API.
  customer_identifier text CHECK (length(customer_identifier) <= 255),
  evaluation jsonb,
  extracted_variables jsonb,
  -- `updated_at` at the time when the latest end was evaluated: a resumed conversation can end again.
  end_handled_until timestamptz,
  -- While it is open: when to check next whether it has been inactive for too long. Messages do not change it.
  inactivity_check_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX conversations_assistant ON conversations (assistant_id, type, id);
CREATE INDEX conversations_verified_user ON conversations (assistant_id, verified_user, id)
  WHERE verified_user IS NOT NULL;
CREATE INDEX conversations_customer ON conversations (assistant_id, customer_identifier, id)
  WHERE customer_identifier IS NOT NULL;
-- Without `updated_at`, which changes with every message: updates stay heap-only.
CREATE INDEX conversations_open ON conversations (inactivity_check_at) WHERE ended_at IS NULL;
-- Also finds conversations without a visitor's message. Without `turns`, for the same reason.
CREATE INDEX conversations_unhandled ON conversations (created_at) WHERE end_handled_until IS NULL;

CREATE TABLE messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
  turn integer NOT NULL,
  role text NOT NULL CHECK (role IN ('assistant', 'user', 'system')),
  content text NOT NULL,
  -- What an entry with the role `system` reports.
  event text CHECK (event IN ('person_joined', 'person_left', 'handed_over', 'call_ended', 'ended')),
  -- Of the call that has ended, in seconds.
  duration integer,
  -- The name of the person who wrote it instead of the assistant.
  author text,
  function_calls jsonb NOT NULL DEFAULT '[]',
  -- Results of page tools that a user's message carries, as `{name, arguments, result}`.
  tool_results jsonb NOT NULL DEFAULT '[]',
  -- State of the reply to a user's message: pending, stored, or failed and refunded. `none`: no reply follows, as for
  -- messages to a person, messages of calls, and messages that are not a user's.
  reply_state text NOT NULL DEFAULT 'none' CHECK (reply_state IN ('pending', 'answered', 'failed', 'none')),
  failure text,
  -- For the assistant's owner: why the reply failed, or what its prompt had no room for.
  problem text,
  -- The process that writes the reply, and the end of its lease. After that the reply counts as abandoned.
  reply_owner uuid,
  reply_lease_until timestamptz,
  -- Asks the process that writes the reply to stop.
  reply_stop_requested boolean NOT NULL DEFAULT false,
  in_reply_to bigint UNIQUE REFERENCES messages ON DELETE CASCADE,
  cost numeric(14, 4) NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((reply_state = 'pending') = (reply_owner IS NOT NULL AND reply_lease_until IS NOT NULL)),
  CHECK (role = 'user' OR reply_state = 'none'),
  CHECK ((event IS NOT DISTINCT FROM 'call_ended') = (duration IS NOT NULL))
);
CREATE INDEX messages_history ON messages (conversation_id, turn, id);
CREATE UNIQUE INDEX messages_one_user_message_a_turn ON messages (conversation_id, turn) WHERE role = 'user';
-- Not by lease: of a conversation's pending messages, few have been answered since the last vacuum.
CREATE INDEX messages_pending ON messages (conversation_id) WHERE reply_state = 'pending';

-- Which assistant calls, from which numbers, when, and how often.
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
  -- Why the service stopped the campaign, if it did.
  stop_reason text,
  -- No call is made before: an error of the carrier may last for seconds only.
  paused_until timestamptz,
  -- Number of calls made, used to rotate the phone numbers.
  calls_made integer NOT NULL DEFAULT 0,
  -- Set while the leads of a deleted campaign are being deleted, in steps.
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX campaigns_user ON campaigns (user_id);
CREATE INDEX campaigns_assistant ON campaigns (assistant_id);

-- The numbers that a campaign rotates through. A deleted number leaves the rotation.
CREATE TABLE campaign_phone_numbers (
  campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  phone_number_id integer NOT NULL REFERENCES phone_numbers ON DELETE CASCADE,
  position integer NOT NULL,
  PRIMARY KEY (campaign_id, phone_number_id)
);
CREATE INDEX campaign_phone_numbers_number ON campaign_phone_numbers (phone_number_id);

-- The people whom a campaign calls.
CREATE TABLE leads (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  phone_number text NOT NULL,
  variables jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'created' CHECK (status IN
    ('created', 'scheduled', 'processing', 'completed', 'rescheduled', 'reached-max-retries', 'blacklisted')),
  -- Rounds through the lead and its contacts in which nobody was reached.
  tries integer NOT NULL DEFAULT 0,
  -- The contact to call next in this round; null means the lead itself. Its foreign key follows below.
  next_contact_id integer,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  -- The latest call. Not a foreign key: a deleted call must stay detectable.
  call_id integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX leads_user ON leads (user_id, id);
CREATE INDEX leads_status ON leads (user_id, status, id);
CREATE INDEX leads_campaign ON leads (campaign_id, phone_number);
CREATE INDEX leads_state ON leads (campaign_id, status);
CREATE INDEX leads_due ON leads (campaign_id, next_try_at, id) WHERE status IN ('scheduled', 'rescheduled');

-- Contacts to call when the lead itself is not reached, in the order of their ids.
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

ALTER TABLE leads ADD FOREIGN KEY (next_contact_id) REFERENCES secondary_contacts ON DELETE SET NULL;
CREATE INDEX leads_next_contact ON leads (next_contact_id);

-- Numbers whose owners asked not to be called again. No call of this user goes to them.
CREATE TABLE blocked_numbers (
  id integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  phone_number text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, phone_number)
);

-- Names and numbers are copies, so the record outlives its assistant, campaign and phone number.
CREATE TABLE calls (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  assistant_id integer REFERENCES assistants ON DELETE SET NULL,
  campaign_id integer REFERENCES campaigns ON DELETE SET NULL,
  lead_id integer REFERENCES leads ON DELETE SET NULL,
  -- The conversation that a web call belongs to. Deleting it deletes what was said.
  conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
  -- The contact of the lead that was called, unless it was the lead itself.
  contact_id integer REFERENCES secondary_contacts ON DELETE SET NULL,
  -- The number of the lead at the time of the call, whose variables are in input_variables.
  lead_phone_number text,
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
  -- [{role, content, at, seconds, functionCalls, responseTime, kind}]; seconds since the call was answered.
  messages jsonb NOT NULL DEFAULT '[]',
  -- The assistant's variables, overridden by those of the request, lead or contact.
  input_variables jsonb NOT NULL DEFAULT '{}',
  variables jsonb NOT NULL DEFAULT '{}',
  evaluation jsonb NOT NULL DEFAULT '{}',
  webhook_response jsonb NOT NULL DEFAULT '{}',
  -- USD.
  carrier_cost numeric(14, 4) NOT NULL DEFAULT 0,
  total_cost numeric(14, 4) NOT NULL DEFAULT 0,
  -- Minutes that were charged when they started, or counted if the call is free.
  charged_minutes integer NOT NULL DEFAULT 0,
  answered_by text NOT NULL DEFAULT 'unknown' CHECK (answered_by IN ('human', 'machine', 'unknown')),
  -- The machine that answered is a fax.
  is_fax boolean NOT NULL DEFAULT false,
  end_reason text,
  -- Set only for recordings of another service.
  recording_url text,
  -- The capability: anyone who has it can listen to the recording.
  recording_token text UNIQUE,
  -- The carrier's id of the call, and the secret that its requests for this call must contain.
  carrier_call_id text UNIQUE,
  token text,
  -- The secret of the next connection; null once that was made.
  connect_token text,
  -- Stored before the carrier is asked to dial: a call is dialed at most once.
  dialed_at timestamptz,
  -- The number that the assistant transferred the call to.
  transfer_to text,
  -- The phone there was answered.
  is_transfer_answered boolean NOT NULL DEFAULT false,
  -- Asks the process that has the line of a web call to end it.
  hang_up_requested boolean NOT NULL DEFAULT false,
  -- Whether a web call is recorded, as its visitor was notified at the start. A reconnection does not change it.
  is_recorded boolean NOT NULL DEFAULT false,
  carrier_recording_id text,
  -- The carrier's duration of the call. Set once it has reported the end, also while a process still has the line.
  carrier_seconds integer,
  -- Connections to the service that were lost since the last one that succeeded.
  lost_connections integer NOT NULL DEFAULT 0,
  -- The process that has the call's line, and the end of its lease. After that the call counts as abandoned. A call
  -- that no process has is abandoned if the carrier does not connect or report it in time.
  lease_owner uuid,
  lease_until timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  end_handled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX calls_user ON calls (user_id, id);
CREATE INDEX calls_status ON calls (user_id, status, id);
CREATE INDEX calls_assistant ON calls (assistant_id);
CREATE INDEX calls_campaign ON calls (campaign_id);
CREATE INDEX calls_lead ON calls (lead_id);
CREATE INDEX calls_contact ON calls (contact_id);
CREATE INDEX calls_lease ON calls (lease_until) WHERE status IN ('initiated', 'ringing', 'in-progress');
-- At most one open call a lead, enforced below the application.
CREATE UNIQUE INDEX calls_one_open_a_lead ON calls (lead_id)
  WHERE status IN ('initiated', 'ringing', 'in-progress') AND lead_id IS NOT NULL;
-- A call that was hung up may still run a tool during the next one.
CREATE UNIQUE INDEX calls_one_open_a_conversation ON calls (conversation_id)
  WHERE status IN ('initiated', 'ringing', 'in-progress') AND conversation_id IS NOT NULL AND NOT hang_up_requested;
CREATE INDEX calls_conversation ON calls (conversation_id) WHERE conversation_id IS NOT NULL;

-- When the carrier may be asked to start the next call: at most one row.
CREATE TABLE dialing_turns (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  next_at timestamptz NOT NULL
);

-- Recordings of web calls, in parts of a few seconds, since calls may be long and their process may die. Gaps between
-- parts are silence.
CREATE TABLE recording_chunks (
  call_id integer NOT NULL REFERENCES calls ON DELETE CASCADE,
  -- Position of its first sample, counted from when the call was answered.
  first integer NOT NULL,
  -- Samples of each side.
  length integer NOT NULL,
  -- Samples a second; the same in all parts of a recording.
  rate integer NOT NULL,
  -- The visitor's samples, then the assistant's: 16 bits, little-endian, compressed (raw deflate).
  audio bytea NOT NULL,
  PRIMARY KEY (call_id, first)
);
-- Compressing it again would only take time.
ALTER TABLE recording_chunks ALTER COLUMN audio SET STORAGE EXTERNAL;

-- Started minutes of web calls a day, in UTC.
CREATE TABLE web_call_minutes (
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  day date NOT NULL,
  -- The visitor's block of addresses. Sums of several calls: `assistant <id>`; `test` for the owner's tests without a
  -- token; empty for the owner's other calls.
  visitor text NOT NULL,
  minutes integer NOT NULL,
  PRIMARY KEY (user_id, day, visitor)
);

CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  message_id bigint REFERENCES messages ON DELETE SET NULL,
  call_id integer REFERENCES calls ON DELETE SET NULL,
  -- The minute that is paid for, starting at 1; 0 for a refund, which covers all minutes.
  call_minute integer,
  kind text NOT NULL CHECK (kind IN ('top_up', 'charge', 'refund')),
  -- USD; negative for charges.
  amount numeric(14, 4) NOT NULL,
  balance_after numeric(14, 4) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id);
-- The last top-up, which a user's charges would hide.
CREATE INDEX ledger_entries_top_ups ON ledger_entries (user_id, id) WHERE kind = 'top_up';
-- At most one charge and one refund a message, and one a minute of a call, enforced below the application.
CREATE UNIQUE INDEX ledger_entries_once_a_message ON ledger_entries (message_id, kind) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_entries_once_a_minute ON ledger_entries (call_id, kind, call_minute)
  WHERE call_id IS NOT NULL;
CREATE INDEX ledger_entries_call ON ledger_entries (call_id);

CREATE TABLE idempotency_keys (
  -- The operation, with the record that it belongs to.
  scope text NOT NULL,
  key_hash bytea NOT NULL,
  request_hash bytea NOT NULL,
  conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
  message_id bigint REFERENCES messages ON DELETE CASCADE,
  -- Becomes null when the call is deleted. The key stays, so nobody is called again.
  call_id integer REFERENCES calls ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_conversation ON idempotency_keys (conversation_id);
CREATE INDEX idempotency_keys_message ON idempotency_keys (message_id);
CREATE INDEX idempotency_keys_call ON idempotency_keys (call_id);

-- Signing secrets. After a rotation the previous secret stays valid until it expires.
CREATE TABLE webhook_secrets (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  secret text NOT NULL CHECK (secret ~ '^(plain|v1):'),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null for the current secret.
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (user_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_user ON webhook_secrets (user_id);

CREATE TABLE webhook_deliveries (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The same for every attempt, so that receivers can detect duplicates.
  webhook_id text NOT NULL UNIQUE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  assistant_id integer REFERENCES assistants ON DELETE SET NULL,
  call_id integer REFERENCES calls ON DELETE CASCADE,
  conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
  event text NOT NULL CHECK (event IN ('call-ended', 'inbound-call-started', 'inbound-call-ended',
    'conversation-ended', 'handoff-requested', 'usage-limit', 'webhook-disabled')),
  url text NOT NULL,
  -- Text rather than jsonb, because the signature covers its bytes.
  payload text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- Failed attempts since delivery was last started.
  failures integer NOT NULL DEFAULT 0,
  -- Response to the last attempt, or the reason why there was none.
  response_status integer,
  response_body text,
  error text,
  next_attempt_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_deliveries_user ON webhook_deliveries (user_id, id);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (user_id, status, id);
CREATE INDEX webhook_deliveries_assistant ON webhook_deliveries (assistant_id);
CREATE INDEX webhook_deliveries_call ON webhook_deliveries (call_id);
CREATE INDEX webhook_deliveries_conversation ON webhook_deliveries (conversation_id);

-- Addresses whose latest delivery failed. A successful one deletes the row.
CREATE TABLE failing_webhook_urls (
  -- Logical replication refuses changes to a table without a primary key.
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  url text NOT NULL,
  -- Failed deliveries since then, all attempts included. No delivery has succeeded meanwhile.
  failing_since timestamptz NOT NULL DEFAULT now(),
  last_failure_at timestamptz NOT NULL DEFAULT now(),
  failures integer NOT NULL DEFAULT 1,
  -- From then on, nothing is sent to the address until its owner sets it again.
  disabled_at timestamptz
);
-- A URL may be too long for an index.
CREATE UNIQUE INDEX failing_webhook_urls_url ON failing_webhook_urls (user_id, md5(url));

-- The columns are those of rate-limiter-flexible. Unlogged: losing the counters in a crash does no harm.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX rate_limits_expiry ON rate_limits (expire);

-- How many records lists have, by their filters: counting them takes longer the more there are. Each statement that
-- changes records adds rows, so that none waits for another; housekeeping sums them up. Without references, since
-- records are also deleted together with what they belong to.
CREATE TABLE list_totals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  list text NOT NULL,
  user_id integer NOT NULL,
  status text,
  type text,
  assistant_id integer,
  campaign_id integer,
  change bigint NOT NULL,
  is_sum boolean NOT NULL DEFAULT false
);
CREATE INDEX list_totals_list ON list_totals (user_id, list);
CREATE INDEX list_totals_changes ON list_totals (user_id, list) WHERE NOT is_sum;

-- Its arguments are the values of status, type, assistant_id and campaign_id, as SQL.
CREATE FUNCTION count_records() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  columns text := format('user_id, %s AS status, %s AS type, %s AS assistant_id, %s AS campaign_id', TG_ARGV[0],
    TG_ARGV[1], TG_ARGV[2], TG_ARGV[3]);
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN format('SELECT %s, 1 AS change FROM added', columns)
    WHEN 'DELETE' THEN format('SELECT %s, -1 AS change FROM removed', columns)
    ELSE format('SELECT %1$s, 1 AS change FROM added UNION ALL SELECT %1$s, -1 AS change FROM removed', columns)
  END;
BEGIN
  EXECUTE format('INSERT INTO list_totals (list, user_id, status, type, assistant_id, campaign_id, change)
    SELECT %L, user_id, status, type, assistant_id, campaign_id, sum(change) FROM (%s) AS changes
    WHERE user_id IS NOT NULL
    GROUP BY user_id, status, type, assistant_id, campaign_id HAVING sum(change) <> 0', TG_TABLE_NAME, changes);
  RETURN NULL;
END $$;

CREATE TRIGGER leads_added AFTER INSERT ON leads REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'NULL::text', 'NULL::integer', 'campaign_id');
CREATE TRIGGER leads_removed AFTER DELETE ON leads REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'NULL::text', 'NULL::integer', 'campaign_id');
CREATE TRIGGER leads_changed AFTER UPDATE ON leads REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'NULL::text', 'NULL::integer', 'campaign_id');
CREATE TRIGGER calls_added AFTER INSERT ON calls REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'type', 'assistant_id', 'campaign_id');
CREATE TRIGGER calls_removed AFTER DELETE ON calls REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'type', 'assistant_id', 'campaign_id');
CREATE TRIGGER calls_changed AFTER UPDATE ON calls REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'type', 'assistant_id', 'campaign_id');
CREATE TRIGGER webhook_deliveries_added AFTER INSERT ON webhook_deliveries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'event', 'assistant_id', 'NULL::integer');
CREATE TRIGGER webhook_deliveries_removed AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'event', 'assistant_id', 'NULL::integer');
CREATE TRIGGER webhook_deliveries_changed AFTER UPDATE ON webhook_deliveries REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('status', 'event', 'assistant_id', 'NULL::integer');
CREATE TRIGGER audit_log_added AFTER INSERT ON audit_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('NULL::text', 'NULL::text', 'NULL::integer', 'NULL::integer');
CREATE TRIGGER audit_log_removed AFTER DELETE ON audit_log REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('NULL::text', 'NULL::text', 'NULL::integer', 'NULL::integer');
CREATE TRIGGER blocked_numbers_added AFTER INSERT ON blocked_numbers REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('NULL::text', 'NULL::text', 'NULL::integer', 'NULL::integer');
CREATE TRIGGER blocked_numbers_removed AFTER DELETE ON blocked_numbers REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records('NULL::text', 'NULL::text', 'NULL::integer', 'NULL::integer');

-- Finds parts of phone numbers in long lists. Without pg_trgm, which the embedded database lacks, they are scanned.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX leads_digits ON leads USING gin (phone_number gin_trgm_ops);
  CREATE INDEX calls_digits ON calls USING gin (client_phone_number gin_trgm_ops);
  CREATE INDEX blocked_numbers_digits ON blocked_numbers USING gin (phone_number gin_trgm_ops);
  CREATE INDEX conversations_digits ON conversations
    USING gin (regexp_replace(customer_identifier, '[^0-9]', '', 'g') gin_trgm_ops)
    WHERE customer_identifier ~ '^((tel|sms|rcs|whatsapp):)?[+0-9 ()./-]+$';
EXCEPTION WHEN feature_not_supported OR undefined_file OR insufficient_privilege OR undefined_object THEN
  -- The object is undefined if the extension is in a schema outside the search path.
  RAISE NOTICE 'The extension pg_trgm cannot be used: %', SQLERRM;
END $$;
