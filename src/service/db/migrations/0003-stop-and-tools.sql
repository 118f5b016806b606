-- Replies can be stopped, by way of any process, and the page can run tools whose results come with a message.

ALTER TABLE messages
  -- Asks the process that writes the reply to end it where it is.
  ADD COLUMN reply_stop_requested boolean NOT NULL DEFAULT false,
  -- Of a user's message: what tools of the page returned before it was sent, as `{name, arguments, result}`.
  ADD COLUMN tool_results jsonb NOT NULL DEFAULT '[]';
