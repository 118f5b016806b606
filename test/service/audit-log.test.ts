import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { listOperations } from '../../src/contract/operations.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { addNumber } from '../support/records/add-records.ts';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { createTenant } from '../support/records/tenant.ts';
import { startService } from '../support/service/service.ts';
import { expectingFailures } from '../support/service/check-answer.ts';

interface Entry {
  id: number;
  created_at: string;
  actor: string;
  api_key: { id: number; name: string } | null;
  address: string | null;
  operation: string;
  object: string;
  object_id: string | null;
}

const service = await startService();
const { pool } = service.running.database;

/** Returns the owner's entries, oldest first. */
async function readLog(owner: Owner, query = ''): Promise<Entry[]> {
  const { status, json, text } = await owner.get(`audit-log?per_page=100${query}`);
  assert.equal(status, 200, text);
  return (json['data'] as Entry[]).reverse();
}

const summaries = async (owner: Owner) =>
  (await readLog(owner)).map(({ operation, object, object_id: id }) => [operation, object, id]);

describe('the audit log', () => {
  test('lists who changed what, when and from where, without contents', async () => {
    const proxied = await startService({ TRUST_PROXY: '1' });
    const owner = await Owner.create(service);
    const headers = { Authorization: `Bearer ${owner.key}`, 'X-Forwarded-For': '2001:db8::7' };
    const body = {
      name: 'secret_name',
      description: 'Hidden text',
      endpoint: 'https://shop.example',
      method: 'GET',
    };
    const { json } = await proxied.request('POST', '/api/user/tools', body, headers);
    const { id } = json['data'] as { id: number };
    const [entry, ...others] = await readLog(owner);
    assert.deepEqual(others, []);
    const keys = (await owner.get('api-keys')).json['api_keys'] as { id: number }[];
    const { id: entryId, created_at: createdAt } = entry as Entry;
    assert.deepEqual(entry, {
      id: entryId,
      created_at: createdAt,
      actor: 'api-key',
      api_key: { id: keys[0]?.id, name: 'Test' },
      address: '2001:db8::7',
      operation: 'createTool',
      object: 'tool',
      object_id: String(id),
    });
    const { rows } = await pool.query<{ seconds: number }>(
      'SELECT abs(extract(epoch FROM now() - $1::timestamptz))::float AS seconds',
      [createdAt],
    );
    assert.ok((rows[0]?.seconds ?? Infinity) < 60);
    const stored = await pool.query<{ row: string }>('SELECT audit_log::text AS row FROM audit_log');
    assert.doesNotMatch(JSON.stringify(stored.rows), /secret_name|Hidden|vac_/);
  });

  test('has the id of the record for every kind of change', async () => {
    const owner = await Owner.create(service, '10');
    const created = await owner.create('assistant', assistantBody());
    const { id } = created;
    const uuid = String((await readAssistant(owner, id)).uuid);
    await owner.put(`assistant/${id}`, { name: 'New' });
    await owner.post('assistants/enable-inbound-webhook', {
      assistant_id: id,
      webhook_url: 'https://shop.example/hook',
    });
    await owner.post(`assistants/${id}/user-token-secret`, {});
    // The ids of the base and the document differ.
    await service.running.database.pool.query('ALTER SEQUENCE knowledgebases_id_seq RESTART WITH 700');
    const base = await owner.create('knowledgebases', { name: 'Base' });
    const document = await owner.upload(`knowledgebases/${base.id}/documents`, {
      name: 'Hours',
      type: 'txt',
      file: new Blob(['Open from nine to five.']),
    });
    const documentId = (document.json['data'] as { id: number }).id;
    await owner.put(`knowledgebases/${base.id}/documents/${documentId}`, { name: 'Times' });
    const number = await addNumber(service, owner.id);
    await owner.put(`phone-numbers/${number}`, { nickname: 'Main' });
    const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: id });
    const lead = await owner.create('lead', { phone_number: '+4915112345678', campaign_id: campaign.id });
    await owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
    const call = await owner.post('make_call', { phone_number: '+4915112345679', assistant_id: id });
    await owner.put('spending-limit', { daily_limit: 5 });
    await owner.post('webhook-secret/rotate', {});
    const conversation = await service.open(uuid);
    const bearer = { Authorization: `Bearer ${owner.key}` };
    await service.request('POST', `/api/automate/conversations/${conversation}/disable-ai`, {}, bearer);
    await owner.post(`conversations/${conversation}/messages`, { message: 'Hello, this is Ada.' });
    await service.request('PUT', `/api/leads/${lead.id}`, { variables: { name: 'Eve' } }, bearer);
    await owner.delete(`campaign/${campaign.id}`);
    assert.deepEqual(await summaries(owner), [
      ['createAssistant', 'assistant', String(id)],
      ['updateAssistant', 'assistant', String(id)],
      ['enableInboundWebhook', 'assistant', String(id)],
      ['createUserTokenSecret', 'assistant', String(id)],
      ['createKnowledgebase', 'knowledgebase', String(base.id)],
      ['createDocument', 'document', String(documentId)],
      ['updateDocument', 'document', String(documentId)],
      ['updatePhoneNumber', 'phone-number', String(number)],
      ['createCampaign', 'campaign', String(campaign.id)],
      ['createLead', 'lead', String(lead.id)],
      ['updateCampaignStatus', 'campaign', String(campaign.id)],
      ['makeCall', 'call', String(call.json['call_id'])],
      ['setSpendingLimit', 'spending-limit', null],
      ['rotateWebhookSecret', 'webhook-secret', null],
      ['disableAi', 'conversation', conversation],
      ['writeAsPerson', 'conversation', conversation],
      ['updateLead', 'lead', String(lead.id)],
      ['deleteCampaign', 'campaign', String(campaign.id)],
    ]);
  });

  test('covers every operation that changes something, except replies to customers', () => {
    const missing = listOperations()
      .filter(([, { auth, method, changes }]) => auth === 'bearer' && method !== 'GET' && !changes)
      .map(([name]) => name);
    assert.deepEqual(missing, ['generateReply']);
  });

  test('has no entry for a request that was refused, failed, or only read', async () => {
    const owner = await Owner.create(service);
    const tool = { name: 'tool', description: 'x', endpoint: 'https://shop.example', method: 'GET' };
    assert.equal((await owner.post('tools', { ...tool, method: 'FROB' })).status, 422);
    assert.equal((await owner.put('tools/999999', tool)).status, 404);
    assert.equal((await owner.delete('tools/999999')).status, 404);
    // Refused in the middle of its transaction.
    assert.equal((await owner.post('phone-numbers/purchase', { phone_number: '+4930123' })).status, 400);
    assert.equal((await owner.get('tools')).status, 200);
    assert.deepEqual(await readLog(owner), []);
  });

  test('is part of the transaction of the change: if it cannot be written, nothing changes', async () => {
    const owner = await Owner.create(service);
    const tool = { name: 'tool', description: 'x', endpoint: 'https://shop.example', method: 'GET' };
    const { id } = await owner.create('tools', tool);
    await pool.query(`ALTER TABLE audit_log ADD CONSTRAINT fails CHECK (user_id <> ${owner.id}) NOT VALID`);
    await expectingFailures(async () => {
      assert.equal((await owner.delete(`tools/${id}`)).status, 500);
    });
    await pool.query('ALTER TABLE audit_log DROP CONSTRAINT fails');
    assert.equal((await owner.get(`tools/${id}`)).status, 200);
    assert.deepEqual(await summaries(owner), [['createTool', 'tool', String(id)]]);
  });

  test('has no entry for a change whose commit fails', async () => {
    const owner = await Owner.create(service);
    const tool = { name: 'tool', description: 'x', endpoint: 'https://shop.example', method: 'GET' };
    const { id } = await owner.create('tools', tool);
    await pool.query(
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failed at commit'; END $$",
    );
    await pool.query(`CREATE CONSTRAINT TRIGGER fails AFTER DELETE ON tools DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (OLD.user_id = ${owner.id}) EXECUTE FUNCTION fail()`);
    await expectingFailures(async () => {
      assert.equal((await owner.delete(`tools/${id}`)).status, 500);
    });
    await pool.query('DROP TRIGGER fails ON tools');
    assert.deepEqual(await summaries(owner), [['createTool', 'tool', String(id)]]);
  });

  test('lists a repeated request with an idempotency key once', async () => {
    const owner = await Owner.create(service, '10');
    const { id } = await owner.create('assistant', assistantBody());
    const call = { phone_number: '+4915112345678', assistant_id: id };
    const headers = { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': randomUUID() };
    const send = () => service.request('POST', '/api/user/make_call', call, headers);
    const answers = await Promise.all([send(), send(), send()]);
    const [callId, ...others] = new Set(answers.map(({ json }) => json['call_id']));
    assert.deepEqual(others, []);
    const entries = (await summaries(owner)).filter(([operation]) => operation === 'makeCall');
    assert.deepEqual(entries, [['makeCall', 'call', String(callId)]]);
  });

  test('has no entry for a request that changes nothing', async () => {
    const owner = await Owner.create(service, '10');
    const { id } = await owner.create('assistant', assistantBody());
    const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: id });
    const conversation = await service.open(String((await readAssistant(owner, id)).uuid));
    const bearer = { Authorization: `Bearer ${owner.key}` };
    const handOff = (action: string) =>
      service.request('POST', `/api/automate/conversations/${conversation}/${action}`, {}, bearer);
    for (const action of ['enable-ai', 'disable-ai', 'disable-ai', 'enable-ai', 'enable-ai'])
      assert.equal((await handOff(action)).status, 200);
    for (const action of ['start', 'start', 'stop', 'stop'])
      await owner.post('campaigns/update-status', { campaign_id: campaign.id, action });
    const blocked = await owner.create('blocked-numbers', { phone_number: '+4915112345699' });
    await owner.create('blocked-numbers', { phone_number: '+4915112345699' });
    await owner.delete(`assistants/${id}/user-token-secret`);
    assert.deepEqual((await summaries(owner)).slice(2), [
      ['disableAi', 'conversation', conversation],
      ['enableAi', 'conversation', conversation],
      ['updateCampaignStatus', 'campaign', String(campaign.id)],
      ['updateCampaignStatus', 'campaign', String(campaign.id)],
      ['blockNumber', 'blocked-number', String(blocked.id)],
    ]);
  });

  test('can be read in pages and by days, by its owner only, also after the key was revoked', async () => {
    const tenant = await createTenant(service, 'Audited');
    const otherOwner = await Owner.create(service);
    const { owner } = tenant;
    const all = await readLog(owner);
    assert.ok(all.length > 5);
    const first = (await owner.get('audit-log?per_page=2')).json;
    assert.deepEqual([first['total'], (first['data'] as Entry[]).length], [all.length, 2]);
    const second = (await owner.get('audit-log?per_page=2&page=2')).json['data'] as Entry[];
    assert.deepEqual(
      second.map(({ id }) => id),
      all
        .slice(-4, -2)
        .map(({ id }) => id)
        .reverse(),
    );
    await pool.query("UPDATE audit_log SET created_at = '2026-03-04 12:00Z' WHERE id = $1", [all[0]?.id]);
    const days = await readLog(owner, '&date_from=2026-03-04&date_to=2026-03-04');
    assert.deepEqual(
      days.map(({ id }) => id),
      [all[0]?.id],
    );
    assert.deepEqual(await readLog(otherOwner), []);
    const spare = await createApiKey(service.running.database.db, owner.id, 'Spare');
    const bearer = { Authorization: `Bearer ${spare}` };
    await service.request('PUT', '/api/user/spending-limit', { daily_limit: 1 }, bearer);
    await pool.query("DELETE FROM api_keys WHERE user_id = $1 AND name = 'Spare'", [owner.id]);
    assert.equal((await readLog(owner)).at(-1)?.api_key?.name, 'Spare');
  });
});

/** Runs a command on the database that the tests share. */
async function run(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const streams = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const code = await runCli([...args, '--json'], {}, streams, service.running.database);
  return { code, out };
}

describe('changes on the command line', () => {
  test('are listed with the command and the record, without an address or a key', async () => {
    const email = `${randomUUID()}@example.com`;
    const user = JSON.parse((await run('users', 'create', '--name', 'Ada Ly', '--email', email)).out) as {
      id: number;
    };
    const created = JSON.parse((await run('keys', 'create', '--user', email, '--name', 'Web')).out) as {
      id: number;
      key: string;
    };
    await run('top-up', '--user', email, '--amount', '5');
    const number = `+4930${String(Date.now()).slice(-8)}`;
    const added = JSON.parse(
      (await run('numbers', 'add', '--user', email, '--number', number, '--type', 'caller_id')).out,
    ) as { id: number };
    const rotated = JSON.parse((await run('keys', 'rotate', '--id', String(created.id))).out) as {
      id: number;
    };
    await run('keys', 'revoke', '--id', String(rotated.id));
    assert.equal((await run('keys', 'revoke', '--id', '999999')).code, 1);

    const { json } = await service.get('/api/user/audit-log', { Authorization: `Bearer ${created.key}` });
    const entries = (json['data'] as Entry[]).reverse();
    assert.deepEqual(
      entries.map(({ operation, object, object_id: id }) => [operation, object, id]),
      [
        ['users create', 'user', String(user.id)],
        ['keys create', 'api-key', String(created.id)],
        ['top-up', 'balance', null],
        ['numbers add', 'phone-number', String(added.id)],
        ['keys rotate', 'api-key', String(created.id)],
        ['keys rotate', 'api-key', String(rotated.id)],
        ['keys revoke', 'api-key', String(rotated.id)],
      ],
    );
    for (const { actor, address, api_key: key } of entries)
      assert.deepEqual([actor, address, key], ['command-line', null, null]);
  });

  test("list the deletion of a person's data to the owners of the data, without the person", async () => {
    const [affected, other] = [await Owner.create(service), await Owner.create(service)];
    const phone = `+4915${String(Date.now()).slice(-9)}`;
    for (const [owner, number] of [
      [affected, phone],
      [other, '+4915112345678'],
    ] as const) {
      const { id } = await owner.create('assistant', assistantBody());
      const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: id });
      await owner.create('lead', { phone_number: number, campaign_id: campaign.id });
    }
    assert.equal((await run('person', 'delete', '--phone', phone, '--yes')).code, 0);
    assert.deepEqual((await summaries(affected)).at(-1), ['person delete', 'person', null]);
    assert.ok((await summaries(other)).every(([operation]) => operation !== 'person delete'));
  });
});
