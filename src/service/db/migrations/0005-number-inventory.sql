-- The numbers that can be bought from the embedded, simulated carrier: ranges that the countries' regulators keep for
-- films and examples, so that nobody real is ever meant.

CREATE TABLE offered_numbers (
  phone_number text PRIMARY KEY,
  formatted text NOT NULL,
  country_code text NOT NULL,
  region text NOT NULL,
  -- USD a month.
  price numeric(14, 4) NOT NULL,
  sms_capable boolean NOT NULL
);
CREATE INDEX offered_numbers_country ON offered_numbers (country_code, phone_number);

INSERT INTO offered_numbers (phone_number, formatted, country_code, region, price, sms_capable)
SELECT replace(ranges.prefix, ' ', '') || lpad(number::text, ranges.digits, '0'),
  ranges.prefix || lpad(number::text, ranges.digits, '0'),
  ranges.country_code, ranges.region, ranges.price, ranges.sms_capable
FROM generate_series(0, 99) AS number, (VALUES
  ('+49 171 39200 ', 2, 'DE', 'Mobile', 2.00, true),
  ('+49 30 23125 ', 3, 'DE', 'Berlin', 1.50, false),
  ('+1 212 555 01', 2, 'US', 'New York', 1.00, true),
  ('+44 20 7946 0', 3, 'GB', 'London', 1.50, false),
  ('+33 1 99 00 00 ', 2, 'FR', 'Paris', 1.50, false)
) AS ranges (prefix, digits, country_code, region, price, sms_capable);
