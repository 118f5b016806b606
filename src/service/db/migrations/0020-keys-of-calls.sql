-- A call that is asked for twice with one `Idempotency-Key` is made once.

ALTER TABLE idempotency_keys
  -- Null too after its record was deleted: the key stays, so that nobody is called again.
  ADD COLUMN call_id integer REFERENCES calls ON DELETE SET NULL;
CREATE INDEX idempotency_keys_call ON idempotency_keys (call_id);
