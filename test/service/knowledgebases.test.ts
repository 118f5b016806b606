import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Knowledgebase, KnowledgeDocument } from '../../src/contract/knowledgebase.ts';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { processed } from '../support/records/documents.ts';
import { testFields, textOf } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const service = await startService({ ...(await newDatabase()), WORKERS: 'on' });
const { pool } = service.running.database;
const owner = await Owner.create(service, '1');

const create = (more: Record<string, unknown> = {}) =>
  owner.create('knowledgebases', { name: 'Shop', ...more });
const read = async (id: number) =>
  (await owner.get(`knowledgebases/${id}`)).json['data'] as Record<string, unknown>;
const upload = (base: number, fields: Record<string, string | Blob>) =>
  owner.upload(`knowledgebases/${base}/documents`, fields);
const text = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content], { type: 'text/plain' });
const addText = async (base: number, content = 'We open at nine.', name = 'Hours') => {
  const { status, json, text: answer } = await upload(base, { name, type: 'txt', file: text(content) });
  assert.equal(status, 201, answer);
  return processed(owner, base, (json['data'] as { id: number }).id);
};

describe('a knowledge base', () => {
  test('is created empty, read, changed and listed', async () => {
    const reader = await Owner.create(service);
    const answer = await reader.post('knowledgebases', { name: 'Shop' });
    assert.equal(answer.status, 201);
    const created = answer.json['data'] as Record<string, unknown> & { id: number };
    assert.ok(Knowledgebase.safeParse(created).success);
    assert.deepEqual(Object.keys(created), Object.keys(Knowledgebase.shape));
    const { id, created_at, updated_at, ...rest } = created;
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      name: 'Shop',
      description: '',
      status: 'empty',
      status_label: 'Empty',
      documents_count: 0,
      assistants_count: 0,
    });
    const changed = await reader.put(`knowledgebases/${id}`, { description: 'All about it' });
    const data = changed.json['data'] as Record<string, unknown>;
    assert.deepEqual([changed.status, data['name'], data['description']], [200, 'Shop', 'All about it']);
    assert.ok(String(data['updated_at']) > String(updated_at));
    assert.deepEqual((await reader.get(`knowledgebases/${id}`)).json, { data });
    assert.deepEqual((await reader.get('knowledgebases')).json, { data: [data] });
    const cleared = await reader.put(`knowledgebases/${id}`, { description: null });
    assert.equal((cleared.json['data'] as Record<string, unknown>)['description'], '');
  });

  testFields([textOf('name', 255, true), textOf('description', 255)], 201, (fields) =>
    owner.post('knowledgebases', { name: 'Shop', ...fields }),
  );

  test('counts its assistants, which continue without it after its deletion', async () => {
    const { id } = await create();
    const assistant = await owner.create('assistant', assistantBody({ knowledgebase_id: id }));
    assert.equal((await readAssistant(owner, assistant.id))['knowledgebase_mode'], 'function_call');
    const gone = await owner.create('assistant', assistantBody({ knowledgebase_id: id }));
    await owner.delete(`assistant/${gone.id}`);
    assert.equal((await read(id))['assistants_count'], 1);
    await addText(id);
    const { status, json } = await owner.delete(`knowledgebases/${id}`);
    assert.deepEqual([status, Object.keys(json)], [200, ['message']]);
    assert.equal((await readAssistant(owner, assistant.id))['knowledgebase_id'], null);
    const { rows } = await pool.query('SELECT 1 FROM chunks WHERE knowledgebase_id = $1', [id]);
    assert.deepEqual(rows, []);
    for (const path of [`knowledgebases/${id}`, 'knowledgebases/x', `knowledgebases/${id}/documents`]) {
      const { status, json } = await owner.get(path);
      assert.deepEqual([status, json], [404, { error: 'Knowledge base not found.' }]);
    }
    assert.equal((await owner.put(`knowledgebases/${id}`, { name: '' })).status, 404);
    assert.equal((await owner.delete(`knowledgebases/${id}`)).status, 404);
    assert.equal((await upload(id, { name: '' })).status, 404);
  });
});

describe('a document', () => {
  test('is added as text and activates its knowledge base', async () => {
    const { id } = await create();
    const document = await addText(id);
    assert.ok(KnowledgeDocument.safeParse(document).success);
    const { id: documentId, created_at, updated_at, ...rest } = document;
    assert.ok(String(updated_at) > String(created_at));
    assert.deepEqual(rest, {
      name: 'Hours',
      description: '',
      type: 'txt',
      type_label: 'Text',
      status: 'active',
      status_label: 'Active',
    });
    const base = await read(id);
    assert.deepEqual(
      [base['status'], base['status_label'], base['documents_count']],
      ['active', 'Active', 1],
    );
    const path = `knowledgebases/${id}/documents`;
    assert.deepEqual((await owner.get(`${path}/${documentId}`)).json, { data: document });
    assert.deepEqual((await owner.get(path)).json, { data: [document] });
  });

  test("is the source of the assistant's answers", async () => {
    const { id } = await create();
    await addText(id, 'The tower of Brelingen has 217 steps and a bell.', 'Tower');
    const assistant = await owner.create('assistant', assistantBody({ knowledgebase_id: id }));
    const { uuid } = await readAssistant(owner, assistant.id);
    const conversation = await service.open(String(uuid), { type: 'test' });
    const { json } = await service.send(conversation, 'How many steps has the tower of Brelingen?');
    assert.match(String(json['message']), /217 steps/);
    // Without a language model, the message itself is the query.
    const query = 'search_knowledge "the tower of Brelingen"';
    const { json: named } = await service.send(conversation, query);
    assert.deepEqual(named['function_calls'], [
      {
        name: 'search_knowledge',
        arguments: { query },
        result: { passages: [{ document: 'Tower', heading: 'Tower' }] },
      },
    ]);
  });

  test('can change its name and description only', async () => {
    const { id } = await create();
    const document = await addText(id);
    const path = `knowledgebases/${id}/documents/${document.id}`;
    const { status, json } = await owner.put(path, { name: 'Opening hours', type: 'pdf' });
    assert.equal(status, 200);
    const data = json['data'] as Record<string, unknown>;
    assert.deepEqual(Object.keys(data), [
      'id',
      'name',
      'description',
      'type',
      'type_label',
      'status',
      'status_label',
      'updated_at',
    ]);
    assert.deepEqual([data['name'], data['type']], ['Opening hours', 'txt']);
    for (const [field, value] of [
      ['name', 'x'.repeat(256)],
      ['name', ''],
      ['description', 'x'.repeat(256)],
    ] as const) {
      const { status, errors } = await owner.put(path, { [field]: value });
      assert.deepEqual([status, Object.keys(errors)], [422, [field]]);
    }
    assert.equal(
      (await owner.put(path, { name: 'x'.repeat(255), description: 'x'.repeat(255) })).status,
      200,
    );
  });

  test('is quoted with its new name after it was renamed', async () => {
    const { id } = await create();
    const document = await addText(id, 'The bell rings twice.\n\n# Tower\n\nIt has 217 steps.', 'Bells 2025');
    await owner.put(`knowledgebases/${id}/documents/${document.id}`, { name: 'Chimes' });
    const { rows } = await pool.query(
      `SELECT heading, search @@ to_tsquery('simple', 'chimes:A') AS "isFound" FROM chunks
       WHERE document_id = $1 ORDER BY position`,
      [document.id],
    );
    assert.deepEqual(rows, [
      { heading: 'Chimes', isFound: true },
      { heading: 'Tower', isFound: false },
    ]);
  });

  test('is deleted with its chunks; without documents the knowledge base is empty', async () => {
    const { id } = await create();
    const [first, last] = [await addText(id, 'One'), await addText(id, 'Two')];
    const path = `knowledgebases/${id}/documents`;
    assert.deepEqual(Object.keys((await owner.delete(`${path}/${first.id}`)).json), ['message']);
    assert.equal((await read(id))['status'], 'active');
    await owner.delete(`${path}/${last.id}`);
    const base = await read(id);
    assert.deepEqual([base['status'], base['documents_count']], ['empty', 0]);
    const { rows } = await pool.query('SELECT 1 FROM chunks WHERE knowledgebase_id = $1', [id]);
    assert.deepEqual(rows, []);
    for (const answer of [
      await owner.get(`${path}/${last.id}`),
      await owner.put(`${path}/${last.id}`, { name: '' }),
      await owner.delete(`${path}/${last.id}`),
    ]) {
      assert.deepEqual([answer.status, answer.json], [404, { error: 'Document not found.' }]);
    }
  });

  test('is found in its own knowledge base only', async () => {
    const [one, other] = [await create(), await create()];
    const { id } = await addText(one.id);
    assert.equal((await owner.get(`knowledgebases/${other.id}/documents/${id}`)).status, 404);
    assert.equal((await owner.delete(`knowledgebases/${other.id}/documents/${id}`)).status, 404);
  });

  test('is refused with all invalid fields', async () => {
    const { id } = await create();
    const refused = async (fields: Record<string, string | Blob>) => {
      const { status, errors, text: answer } = await upload(id, fields);
      assert.equal(status, 422, answer);
      return Object.keys(errors).sort();
    };
    const file = text('Hello');
    assert.deepEqual(await refused({}), ['name', 'type']);
    assert.deepEqual(await refused({ name: 'x'.repeat(256), type: 'odt', file }), ['name', 'type']);
    assert.deepEqual(await refused({ name: 'A', type: 'txt' }), ['file']);
    assert.deepEqual(await refused({ name: 'A', type: 'txt', file: 'Hello' }), ['file']);
    assert.deepEqual(await refused({ name: 'A', type: 'txt', file: text(' \n') }), ['file']);
    assert.deepEqual(await refused({ name: 'A', type: 'txt', file: text('\0') }), ['file']);
    assert.deepEqual(await refused({ name: 'A', type: 'txt', file: text(new Uint8Array([0xff, 0xfe])) }), [
      'file',
    ]);
    assert.deepEqual(await refused({ name: 'A', type: 'website', url: 'x', relative_links_limit: '51' }), [
      'relative_links_limit',
      'url',
    ]);
    assert.equal((await read(id))['status'], 'empty');
  });

  test('requires a file, or an address for a website', async () => {
    const { id } = await create();
    for (const [type, field] of [
      ['pdf', 'file'],
      ['docx', 'file'],
      ['website', 'url'],
    ] as const) {
      const { status, errors } = await owner.post(`knowledgebases/${id}/documents`, { name: 'A', type });
      assert.deepEqual([status, Object.keys(errors)], [422, [field]]);
    }
  });

  test('can have up to 20 MB', async () => {
    const { id } = await create();
    const line = `${'word '.repeat(15)}\n`;
    const size = 20 * 1024 * 1024;
    const largest = line.repeat(Math.floor(size / line.length)).padEnd(size, 'x');
    const over = await upload(id, { name: 'A', type: 'txt', file: text(`${largest}x`) });
    assert.deepEqual([over.status, Object.keys(over.errors)], [422, ['file']]);
    const far = await upload(id, { name: 'A', type: 'txt', file: text(largest + largest) });
    assert.equal(far.status, 413);
    // A very long line, as in data files, is split, too.
    const { status } = await upload(id, { name: 'A', type: 'txt', file: text('x'.repeat(3_000_000)) });
    assert.equal(status, 201);
  });
});
