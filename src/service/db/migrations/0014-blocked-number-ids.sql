-- Blocked numbers can be listed, and let go one by one.

ALTER TABLE blocked_numbers
  ADD COLUMN id integer GENERATED ALWAYS AS IDENTITY UNIQUE;
