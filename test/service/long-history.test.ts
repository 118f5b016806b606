import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../support/service/service-client.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const { uuid: assistant } = await createAssistant(service, { initialMessage: 'Welcome!' });

/** Inserts turns, each a message and its reply, into a conversation. */
async function insertTurns(conversation: string, turns: number): Promise<void> {
  const { pool } = service.running.database;
  await pool.query(
    `WITH talk AS (UPDATE conversations SET turns = $2 WHERE uuid = $1 RETURNING id)
     INSERT INTO messages (conversation_id, turn, role, content)
     SELECT talk.id, turn, role, role || ' ' || turn
     FROM talk, generate_series(1, $2::int) AS turn, unnest(ARRAY['user', 'assistant']) WITH ORDINALITY AS who (role, place)
     ORDER BY turn, place`,
    [conversation, turns],
  );
}

const read = (conversation: string, query = '') => service.get(`/api/conversations/${conversation}${query}`);
const messagesOf = (json: Record<string, unknown>) => linesOf(json['history']);

test('pages through a long history from its end, without gaps or duplicates', async () => {
  const conversation = await service.open(assistant);
  await insertTurns(conversation, 1200);
  const pages: string[][] = [];
  let query = '';
  do {
    const { status, json } = await read(conversation, query);
    assert.equal(status, 200);
    pages.unshift(messagesOf(json));
    const cursor = json['earlier_cursor'] as string | undefined;
    query = cursor === undefined ? '' : `?before=${encodeURIComponent(cursor)}`;
  } while (query !== '');
  const expected = Array.from({ length: 1200 }, (_, turn) => [
    `user: user ${String(turn + 1)}`,
    `assistant: assistant ${String(turn + 1)}`,
  ]).flat();
  assert.deepEqual(pages.flat(), ['assistant: Welcome!', ...expected]);
  assert.deepEqual(
    pages.map(({ length }) => length),
    [401, 1000, 1000],
  );
});

test('never separates a message and its reply by a page break', async () => {
  const conversation = await service.open(assistant);
  await insertTurns(conversation, 500);
  const whole = await read(conversation);
  assert.deepEqual([messagesOf(whole.json).length, whole.json['earlier_cursor']], [1000, '1']);
  const first = await read(conversation, '?before=1');
  assert.deepEqual(messagesOf(first.json), ['assistant: Welcome!']);
  assert.ok(!('earlier_cursor' in first.json));
  await service.running.database.pool.query(
    `INSERT INTO messages (conversation_id, turn, role, content)
     SELECT id, 501, 'system', 'A person has joined the conversation.' FROM conversations WHERE uuid = $1`,
    [conversation],
  );
  const withSystemMessage = await read(conversation);
  assert.deepEqual(
    [messagesOf(withSystemMessage.json).length, messagesOf(withSystemMessage.json)[0]],
    [999, 'user: user 2'],
  );
});

test('refuses an invalid cursor', async () => {
  const conversation = await service.open(assistant);
  for (const cursor of ['', '0', '-1', '1.5', '1e3', '9'.repeat(10), "1' OR 1=1", '٣']) {
    const { status, json } = await read(conversation, `?before=${encodeURIComponent(cursor)}`);
    assert.deepEqual(
      [status, json],
      [422, { status: false, error: 'before must be a cursor returned as earlier_cursor' }],
      cursor,
    );
  }
});
