import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createApiKey } from '../../support/service/create-api-key.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { seedOwners } from './seed-owners.ts';

/** Numbers of records, all of one owner. */
export interface Amounts {
  conversations: number;
  messages: number;
  leads: number;
}

/** An owner with many records. */
export interface BigOwner {
  key: string;
  /** UUIDs of an assistant, and of one with a knowledge base. */
  assistant: string;
  informed: string;
  campaignId: number;
  /** A campaign with ten leads. */
  smallCampaignId: number;
  /** The key of another owner, with ten conversations. */
  otherKey: string;
  knowledgebaseId: number;
}

/** Fills a migrated database with the records of one owner, and with passages of others. */
export async function fillDatabase(database: Database, url: string, amounts: Amounts): Promise<BigOwner> {
  const { pool, db } = database;
  const [assistant = '', other = ''] = await seedOwners(database, 2);
  const { rows } = await pool.query<{ id: number; user_id: number }>(
    'SELECT id, user_id FROM assistants WHERE uuid = $1',
    [assistant],
  );
  const { id: assistantId = 0, user_id: userId = 0 } = rows[0] ?? {};
  const key = await createApiKey(db, userId, 'Bench');
  const others = await pool.query<{ id: number; user_id: number }>(
    'SELECT id, user_id FROM assistants WHERE uuid = $1',
    [other],
  );
  const otherUserId = others.rows[0]?.user_id ?? 0;
  const otherKey = await createApiKey(db, otherUserId, 'Bench');
  const { leads, messages, conversations } = amounts;
  const each = messages / conversations;
  // Without the timeouts of the service.
  const client = new pg.Client(url);
  await client.connect();
  try {
    const run = (text: string, values: unknown[] = []) => client.query(text, values);
    // A tenth is open, as on a busy day; the oldest are from 100 days ago.
    await run(
      `INSERT INTO conversations (uuid, assistant_id, type, turns, created_at, updated_at, inactivity_check_at, ended_at, customer_identifier)
       SELECT gen_random_uuid(), $1, 'widget', $3::integer / 2, at, at, at + interval '30 minutes', CASE WHEN number % 10 > 0 THEN at + interval '30 minutes' END,
         CASE WHEN number % 2 = 0 THEN '+4915' || lpad((number * 618033989::bigint % 1000000000)::text, 9, '0') END
       FROM generate_series(1, $2::integer) AS number, LATERAL (SELECT CASE WHEN number % 10 > 0
         THEN now() - interval '1 day' - (1 - number::float / $2) * interval '100 days'
         ELSE now() - random() * interval '20 minutes' END AS at) AS times`,
      [assistantId, conversations, each],
    );
    await run(
      `INSERT INTO conversations (uuid, assistant_id, type, created_at)
       SELECT gen_random_uuid(), $1, 'widget', now() - interval '50 days' FROM generate_series(1, 10)`,
      [others.rows[0]?.id],
    );
    await run(
      `INSERT INTO messages (conversation_id, turn, role, content, reply_state, cost, created_at)
       SELECT conversations.id, (number + 1) / 2, CASE number % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
         'A message of usual length about sizes, delivery and returns, number ' || number || '.',
         CASE number % 2 WHEN 1 THEN 'answered' ELSE 'none' END, CASE number % 2 WHEN 1 THEN 0.01 ELSE 0 END, created_at
       FROM conversations, generate_series(1, $1::integer) AS number ORDER BY conversations.id, number`,
      [each],
    );
    await run(
      `INSERT INTO ledger_entries (user_id, message_id, kind, amount, balance_after, created_at)
       SELECT $1, id, 'charge', -0.01, 1000, created_at FROM messages WHERE role = 'user'`,
      [userId],
    );
    const campaign = (
      await client.query<{ id: number }>(
        "INSERT INTO campaigns (user_id, assistant_id, name, timezone) VALUES ($1, $2, 'Spring', 'UTC') RETURNING id",
        [userId, assistantId],
      )
    ).rows[0];
    await run(
      `INSERT INTO leads (user_id, campaign_id, phone_number, variables, status, created_at)
       SELECT $1, $2, '+4916' || lpad((number * 618033989::bigint % 1000000000)::text, 9, '0'), '{"name": "Ada"}',
         (ARRAY['created', 'completed', 'scheduled', 'reached-max-retries'])[1 + number % 4],
         now() - (1 - number::float / $3) * interval '100 days'
       FROM generate_series(1, $3::integer) AS number`,
      [userId, campaign?.id, leads],
    );
    const smallCampaign = (
      await client.query<{ id: number }>(
        "INSERT INTO campaigns (user_id, assistant_id, name, timezone) VALUES ($1, $2, 'Small', 'UTC') RETURNING id",
        [userId, assistantId],
      )
    ).rows[0];
    await run(
      `INSERT INTO leads (user_id, campaign_id, phone_number)
       SELECT $1, $2, '+4918' || lpad((number * 618033989::bigint % 1000000000)::text, 9, '0') FROM generate_series(1, 10) AS number`,
      [userId, smallCampaign?.id],
    );
    await run(
      `INSERT INTO calls (user_id, assistant_id, assistant_name, type, status, client_phone_number, created_at, end_handled_at)
       SELECT $1, $2, 'Bench', 'outbound', 'completed', '+4916' || lpad((number * 618033989::bigint % 1000000000)::text, 9, '0'),
         now() - (1 - number::float / $3) * interval '100 days', now()
       FROM generate_series(1, $3::integer) AS number`,
      [userId, assistantId, conversations],
    );
    await run(
      `INSERT INTO audit_log (user_id, actor, operation, object, object_id, created_at)
       SELECT $1, 'command-line', 'updateLead', 'lead', number::text, now() - (1 - number::float / $2) * interval '100 days'
       FROM generate_series(1, $2::integer) AS number`,
      [userId, conversations],
    );
    await run(
      `INSERT INTO webhook_deliveries (webhook_id, user_id, assistant_id, event, url, payload, status, created_at)
       SELECT 'msg_' || gen_random_uuid(), $1, $2, 'conversation-ended', 'https://shop.example', '{}', 'delivered',
         now() - (1 - number::float / $3) * interval '100 days'
       FROM generate_series(1, $3::integer) AS number`,
      [userId, assistantId, conversations],
    );
    await run(
      `INSERT INTO blocked_numbers (user_id, phone_number)
       SELECT $1, '+4917' || lpad((number * 618033989::bigint % 1000000000)::text, 9, '0') FROM generate_series(1, $2::integer) AS number`,
      [userId, conversations / 10],
    );
    // This owner has one knowledge base with 100 passages; the others are another owner's.
    const bases = await client.query<{ id: number }>(
      `INSERT INTO knowledgebases (user_id, name, status, text_search_config)
       SELECT CASE number WHEN 1 THEN $1::integer ELSE $2::integer END, 'Base ' || number, 'active', 'english'
       FROM generate_series(1, $3::integer) AS number RETURNING id`,
      [userId, otherUserId, Math.max(1, conversations / 100)],
    );
    await run(
      `INSERT INTO documents (knowledgebase_id, name, type, status)
       SELECT id, 'Facts', 'txt', 'active' FROM knowledgebases`,
    );
    await run(
      `INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, search)
       SELECT knowledgebase_id, documents.id, number, 'Topic ' || number, body, to_tsvector('english', body)
       FROM documents, generate_series(1, 100) AS number,
         LATERAL (SELECT 'Delivery of item ' || number || ' takes ' || number || ' days, and returns are free.' AS body) AS texts`,
    );
    const knowledgebaseId = bases.rows[0]?.id ?? 0;
    const informed = randomUUID();
    await run(
      `INSERT INTO assistants (uuid, user_id, name, voice_id, language_id, knowledgebase_id, knowledgebase_mode,
         max_messages_per_day, max_visitor_messages_per_day, max_conversation_messages)
       VALUES ($1, $2, 'Informed', 1, 1, $3, 'prompt', 1000000, 1000000, 10000)`,
      [informed, userId, knowledgebaseId],
    );
    await run('VACUUM ANALYZE');
    return {
      key,
      assistant,
      informed,
      campaignId: campaign?.id ?? 0,
      smallCampaignId: smallCampaign?.id ?? 0,
      otherKey,
      knowledgebaseId,
    };
  } finally {
    await client.end();
  }
}
