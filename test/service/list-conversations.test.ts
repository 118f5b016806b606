import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listConversations } from '../../src/contract/conversation.ts';
import type { ListedConversation } from '../../src/contract/conversation.ts';
import { Owner } from '../support/records/owner.ts';
import { wireTimestamp } from '../support/service/service-client.ts';
import { createAssistant, startService } from '../support/service/service.ts';

// With a trailing slash, which must not be doubled.
const service = await startService({ PUBLIC_URL: 'https://voice.example/base/' });

/** Creates an owner with an assistant and conversations, oldest first. */
async function createConversations(count: number, more: Record<string, unknown> = {}) {
  const owner = await Owner.create(service, '1');
  const assistant = await createAssistant(service, { userId: owner.id, name: 'Kim', initialMessage: 'Hi' });
  const uuids: string[] = [];
  for (let index = 0; index < count; index++) uuids.push(await service.open(assistant.uuid, more));
  return { owner, assistant, uuids };
}

const list = async (owner: Owner, query = '') => (await owner.get(`conversations${query}`)).json;
const idsOf = (json: Record<string, unknown>) => (json['data'] as ListedConversation[]).map(({ id }) => id);

describe('listConversations', () => {
  test('filters by part of the customer phone number and by the exact external identifier', async () => {
    const { owner, uuids } = await createConversations(4);
    const identifiers = ['+49 (151) 123-45', '0049 151 999', 'customer 15112345', null];
    for (const [index, identifier] of identifiers.entries()) {
      await service.running.database.pool.query(
        'UPDATE conversations SET customer_identifier = $2 WHERE uuid = $1',
        [uuids[index], identifier],
      );
    }
    const [first, second, third] = uuids;
    for (const [query, expected] of [
      ['customer_phone=15112345', [first]],
      ['customer_phone=%2B49+151', [second, first]],
      ['customer_phone=7', []],
      ['external_identifier=customer+15112345', [third]],
      ['external_identifier=customer', []],
      ['customer_phone=151&external_identifier=0049+151+999', [second]],
    ] as const) {
      assert.deepEqual(idsOf(await list(owner, `?${query}`)), expected, query);
    }
    const otherOwner = await Owner.create(service);
    assert.deepEqual(idsOf(await list(otherOwner, '?customer_phone=151')), []);
    for (const query of ['customer_phone=abc', `external_identifier=${'x'.repeat(256)}`]) {
      assert.equal((await owner.get(`conversations?${query}`)).status, 422, query);
    }
  });

  test('returns all fields of a conversation', async () => {
    const { owner, assistant, uuids } = await createConversations(1, {
      type: 'widget',
      variables: { name: 'Ada' },
    });
    const uuid = uuids[0] ?? '';
    for (const message of ['Hello', 'Bye']) {
      await service.post(`/api/conversations/${uuid}/messages`, { message });
    }
    await service.post(`/api/automate/conversations/${uuid}/disable-ai`, undefined, {
      Authorization: `Bearer ${owner.key}`,
    });
    // As of a reply that was stopped before its first word.
    await service.running.database.pool.query(
      `INSERT INTO messages (conversation_id, turn, role, content)
       SELECT id, 9, 'assistant', '' FROM conversations WHERE uuid = $1`,
      [uuid],
    );
    const json = await list(owner);
    assert.ok(listConversations.response.safeParse(json).success);
    const { data, ...envelope } = json;
    const [{ created_at, updated_at, ...rest }] = data as [ListedConversation];
    assert.match(created_at, wireTimestamp);
    assert.match(updated_at, wireTimestamp);
    assert.deepEqual(rest, {
      id: uuid,
      assistant_id: assistant.uuid,
      assistant_name: 'Kim',
      type: 'widget',
      variables: { name: 'Ada' },
      // The initial message and two messages with replies, without the system event of the handoff.
      message_count: 5,
      total_cost: 0.02,
      ai_enabled: false,
      verified_user: null,
    });
    assert.deepEqual(envelope, {
      path: 'https://voice.example/base/api/user/conversations',
      per_page: 15,
      next_cursor: null,
      next_page_url: null,
      prev_cursor: null,
      prev_page_url: null,
    });
  });

  test('includes the results of the evaluation', async () => {
    const { owner, uuids } = await createConversations(2);
    const found = {
      evaluation: { sentiment: 'positive', outcome: 'Sold', score: 1 },
      extracted_variables: { budget: 7 },
    };
    await service.running.database.pool.query(
      'UPDATE conversations SET evaluation = $2, extracted_variables = $3 WHERE uuid = $1',
      [uuids[0], found.evaluation, found.extracted_variables],
    );
    const json = await list(owner);
    assert.ok(listConversations.response.safeParse(json).success);
    const of = new Map((json['data'] as ListedConversation[]).map((each) => [each.id, each]));
    const { evaluation, extracted_variables } = of.get(uuids[0] ?? '') ?? {};
    assert.deepEqual({ evaluation, extracted_variables }, found);
    assert.equal('evaluation' in (of.get(uuids[1] ?? '') ?? {}), false);
  });

  test('uses PUBLIC_URL in links', async () => {
    const { owner } = await createConversations(2);
    const path = 'https://voice.example/base/api/user/conversations';
    const { next_page_url } = await list(owner, '?per_page=1');
    assert.ok(String(next_page_url).startsWith(`${path}?per_page=1&cursor=`), String(next_page_url));
    const { json } = await owner.get('leads');
    assert.equal(json['first_page_url'], 'https://voice.example/base/api/user/leads?page=1');
  });

  test('is paginated by cursor in both directions, newest first', async () => {
    const { owner, uuids } = await createConversations(5, { type: 'test' });
    const newestFirst = uuids.toReversed();
    const first = await list(owner, '?per_page=2&type=test');
    const follow = async (page: Record<string, unknown>, link: 'next_page_url' | 'prev_page_url') =>
      list(owner, new URL(String(page[link])).search);
    const second = await follow(first, 'next_page_url');
    const third = await follow(second, 'next_page_url');
    assert.deepEqual([first, second, third].map(idsOf), [
      newestFirst.slice(0, 2),
      newestFirst.slice(2, 4),
      newestFirst.slice(4),
    ]);
    assert.deepEqual([first['prev_cursor'], third['next_cursor']], [null, null]);
    assert.match(String(second['next_page_url']), /\?per_page=2&type=test&cursor=/);
    const back = await follow(third, 'prev_page_url');
    assert.deepEqual(idsOf(back), newestFirst.slice(2, 4));
    const start = await follow(back, 'prev_page_url');
    assert.deepEqual(idsOf(start), newestFirst.slice(0, 2));
    assert.equal(start['prev_cursor'], null);
    assert.deepEqual(idsOf(await follow(start, 'next_page_url')), newestFirst.slice(2, 4));
  });

  test('continues at the cursor, even if conversations were opened in between', async () => {
    const { owner, assistant, uuids } = await createConversations(3, { type: 'test' });
    const first = await list(owner, '?per_page=1');
    await service.open(assistant.uuid, { type: 'test' });
    const { json } = await owner.get(`conversations?per_page=1&cursor=${String(first['next_cursor'])}`);
    assert.deepEqual(idsOf(json), [uuids[1]]);
  });

  test('returns 15 per page by default, and 1 to 100 on request', async () => {
    const { owner } = await createConversations(16, { type: 'test' });
    assert.equal(idsOf(await list(owner)).length, 15);
    assert.equal(idsOf(await list(owner, '?per_page=1')).length, 1);
    assert.equal(idsOf(await list(owner, '?per_page=100')).length, 16);
  });

  test('filters by type and by assistant id or UUID', async () => {
    const { owner, assistant, uuids } = await createConversations(1, { type: 'test' });
    const other = await createAssistant(service, { userId: owner.id });
    const another = await service.open(other.uuid, { type: 'widget' });
    assert.deepEqual(idsOf(await list(owner, '?type=test')), uuids);
    assert.deepEqual(idsOf(await list(owner, '?type=phone')), []);
    assert.deepEqual(idsOf(await list(owner, `?assistant_id=${assistant.id}`)), uuids);
    assert.deepEqual(idsOf(await list(owner, `?assistant_id=${other.uuid.toUpperCase()}`)), [another]);
    assert.deepEqual(idsOf(await list(owner, `?assistant_id=${other.id}&type=test`)), []);
    assert.deepEqual(idsOf(await list(owner, '?assistant_id=9999999999')), []);
  });

  test('includes the conversations of a deleted assistant', async () => {
    const { owner, assistant, uuids } = await createConversations(1, { type: 'test' });
    await owner.delete(`assistant/${assistant.id}`);
    assert.deepEqual(idsOf(await list(owner)), uuids);
  });

  test('rejects invalid filters', async () => {
    const { owner } = await createConversations(0);
    for (const query of [
      'assistant_id=x',
      'assistant_id=-1',
      'per_page=0',
      'per_page=101',
      'cursor=x',
      `cursor=${Buffer.from('older:x').toString('base64url')}`,
      `type=${'x'.repeat(256)}`,
    ]) {
      const { status, errors } = await owner.get(`conversations?${query}`);
      assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
    }
  });
});
