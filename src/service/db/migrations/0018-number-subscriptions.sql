-- Dedicated numbers are paid for month by month.

ALTER TABLE phone_numbers
  -- USD a month, as it was when the number was bought.
  ADD COLUMN price numeric(14, 4),
  -- The end of the month that is paid for.
  ADD COLUMN paid_until timestamptz;

-- So far the first month was paid for and the later ones were a gift: the month under way is the last one that is.
UPDATE phone_numbers SET
  price = coalesce((SELECT offered_numbers.price FROM offered_numbers
    WHERE offered_numbers.phone_number = phone_numbers.phone_number), 0),
  paid_until = (SELECT min(ends) FROM (
      SELECT created_at + interval '1 month' * (passed + further) AS ends
      FROM (SELECT 12 * extract(year FROM age(now(), created_at))
          + extract(month FROM age(now(), created_at)) AS passed) AS months,
        generate_series(0, 2) AS further
    ) AS months_of_number WHERE ends > now())
WHERE has_active_subscription;

-- What was given back before has no subscription any more.
UPDATE phone_numbers SET has_active_subscription = false WHERE release_at IS NOT NULL;

ALTER TABLE phone_numbers ADD CHECK (NOT has_active_subscription OR (price IS NOT NULL AND paid_until IS NOT NULL));
CREATE INDEX phone_numbers_paid_until ON phone_numbers (paid_until) WHERE paid_until IS NOT NULL;
