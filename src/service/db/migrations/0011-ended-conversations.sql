-- The end of a conversation is stored, so that it is told of once; and customers of other systems have conversations.

-- Those that ended before nobody is told of any more.
UPDATE conversations SET ended_at = conversations.updated_at + conversation_inactivity_timeout * interval '1 minute'
FROM assistants
WHERE assistants.id = conversations.assistant_id
  AND conversations.updated_at < now() - conversation_inactivity_timeout * interval '1 minute';

-- Not over `updated_at`, which changes with every message: updates stay within the table's pages.
CREATE INDEX conversations_open ON conversations (id) WHERE ended_at IS NULL;

-- What another system calls the customer whom it asks a reply for.
ALTER TABLE conversations ADD COLUMN customer_identifier text CHECK (length(customer_identifier) <= 255);
CREATE INDEX conversations_customer ON conversations (assistant_id, customer_identifier, id)
  WHERE customer_identifier IS NOT NULL;
