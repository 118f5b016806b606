-- A lead is judged by the call that was made for it last, and not by an earlier one when that record is deleted.

-- No reference: that the call is gone is to be seen.
ALTER TABLE leads ADD COLUMN call_id integer;
UPDATE leads SET call_id = (SELECT max(id) FROM calls WHERE lead_id = leads.id) WHERE status = 'processing';
