-- What an assistant chooses from: voices, models, providers, phone numbers and mid-call tools.

CREATE TABLE providers (
  id integer PRIMARY KEY,
  -- `synthesizer` turns text into speech, `transcriber` speech into text.
  kind text NOT NULL CHECK (kind IN ('synthesizer', 'transcriber')),
  name text NOT NULL,
  code text NOT NULL UNIQUE
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
  -- The engine modes that it can speak in.
  modes text[] NOT NULL CHECK (modes <@ ARRAY ['pipeline', 'multimodal', 'dualplex'])
);
CREATE INDEX voices_language ON voices (language_id);
CREATE INDEX voices_synthesizer_provider ON voices (synthesizer_provider_id);

INSERT INTO providers (id, kind, name, code) VALUES
  (1, 'synthesizer', 'Standard speech', 'standard-speech'),
  (2, 'synthesizer', 'Expressive speech', 'expressive-speech'),
  (3, 'transcriber', 'Standard transcription', 'standard-transcription'),
  (4, 'transcriber', 'Fast transcription', 'fast-transcription');

-- The second of each kind knows the first eight languages only.
INSERT INTO provider_languages (provider_id, language_id)
SELECT providers.id, languages.id FROM providers, languages
WHERE languages.id <= 26 AND (providers.id IN (1, 3) OR languages.id <= 8);

INSERT INTO models (id, type, name, code) VALUES
  (1, 'llm', 'Standard', 'standard'),
  (2, 'multimodal', 'Standard multimodal', 'standard-multimodal'),
  (3, 'dualplex', 'Standard dualplex', 'standard-dualplex');

-- Ids that earlier data holds stay voices of the pipeline: 1 is English.
INSERT INTO voices (id, name, language_id, synthesizer_provider_id, gender, age, accent, modes)
SELECT (languages.id - 1) * 4 + kinds.position, kinds.name, languages.id, kinds.provider_id, kinds.gender, kinds.age,
  'standard', kinds.modes
FROM languages, (VALUES
  (1, 'Mira', 1, 'female', 'young', ARRAY ['pipeline', 'dualplex']),
  (2, 'Jonas', 1, 'male', 'middle_aged', ARRAY ['pipeline', 'dualplex']),
  (3, 'Vera', 1, 'female', 'middle_aged', ARRAY ['multimodal']),
  (4, 'Tom', 1, 'male', 'young', ARRAY ['multimodal'])
) AS kinds (position, name, provider_id, gender, age, modes)
WHERE languages.id <= 26;

CREATE TABLE phone_numbers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  -- E.164.
  phone_number text NOT NULL CHECK (phone_number ~ '^\+[1-9][0-9]{6,14}$'),
  country_code text NOT NULL CHECK (length(country_code) = 2),
  -- `normal` is a dedicated number with a subscription, `caller_id` one that only shows when calling.
  type text NOT NULL DEFAULT 'normal' CHECK (type IN ('normal', 'sip', 'caller_id')),
  nickname text,
  sms_capable boolean NOT NULL DEFAULT false,
  region text NOT NULL DEFAULT '',
  has_active_subscription boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When a dedicated number goes, once its release was asked for.
  release_at timestamptz,
  UNIQUE (user_id, phone_number)
);
CREATE INDEX phone_numbers_release ON phone_numbers (release_at) WHERE release_at IS NOT NULL;
-- A dedicated number and one of a SIP trunk ring at one place only.
CREATE UNIQUE INDEX phone_numbers_one_owner ON phone_numbers (phone_number) WHERE type <> 'caller_id';

CREATE TABLE tools (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL,
  endpoint text NOT NULL,
  method text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  timeout integer NOT NULL DEFAULT 10 CHECK (timeout BETWEEN 1 AND 30),
  headers jsonb NOT NULL DEFAULT '[]',
  schema jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tools_user ON tools (user_id);

-- Nobody could have had a number or a tool before, so an assistant that names one names nothing.
UPDATE assistants SET phone_number_id = NULL, tool_ids = '{}';
ALTER TABLE assistants
  ADD FOREIGN KEY (phone_number_id) REFERENCES phone_numbers ON DELETE SET NULL;
CREATE INDEX assistants_phone_number ON assistants (phone_number_id);
CREATE UNIQUE INDEX assistants_one_inbound_a_number ON assistants (phone_number_id)
  WHERE type = 'inbound' AND deleted_at IS NULL AND phone_number_id IS NOT NULL;
