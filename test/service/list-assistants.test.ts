import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Assistants, ReducedAssistant } from '../../src/contract/assistant.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);

describe('a list of assistants', () => {
  test('is returned in pages, newest first, with links', async () => {
    const reader = await Owner.create(service);
    for (let count = 1; count <= 12; count++) {
      await reader.create('assistant', assistantBody({ name: `Kim ${count}` }));
    }
    const { json } = await reader.get('assistants/get');
    assert.ok(Assistants.safeParse(json).success);
    const path = `${service.url}/api/user/assistants/get`;
    const { data, links, ...rest } = json;
    assert.deepEqual(
      (data as { name: string }[]).map(({ name }) => name),
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((count) => `Kim ${count}`),
    );
    assert.deepEqual(rest, {
      current_page: 1,
      first_page_url: `${path}?page=1`,
      from: 1,
      last_page: 2,
      last_page_url: `${path}?page=2`,
      next_page_url: `${path}?page=2`,
      path,
      per_page: 10,
      prev_page_url: null,
      to: 10,
      total: 12,
    });
    assert.deepEqual(links, [
      { url: null, label: '&laquo; Previous', active: false },
      { url: `${path}?page=1`, label: '1', active: true },
      { url: `${path}?page=2`, label: '2', active: false },
      { url: `${path}?page=2`, label: 'Next &raquo;', active: false },
    ]);
    const second = await reader.get('assistants/get?page=2&per_page=5');
    assert.deepEqual(
      [second.json['from'], second.json['to'], second.json['prev_page_url']],
      [6, 10, `${path}?page=1&per_page=5`],
    );
    const beyond = await reader.get('assistants/get?page=9');
    assert.deepEqual([beyond.json['data'], beyond.json['from'], beyond.json['to']], [[], null, null]);
  });

  test('is returned complete, as a bare array, without pagination', async () => {
    const reader = await Owner.create(service);
    for (let count = 1; count <= 12; count++) {
      await reader.create('assistant', assistantBody({ name: `Kim ${count}` }));
    }
    const { status, text } = await reader.get('assistants');
    assert.equal(status, 200);
    const { json: page } = await reader.get('assistants/get?per_page=100');
    assert.deepEqual(JSON.parse(text), page['data']);
    assert.equal((page['data'] as object[]).length, 12);
    assert.equal((await (await Owner.create(service)).get('assistants')).text, '[]');
  });

  test('rejects invalid pages', async () => {
    for (const query of ['page=0', 'page=x', 'page=-1', 'per_page=0', 'per_page=101', 'per_page=1.5']) {
      const { status, errors } = await owner.get(`assistants/get?${query}`);
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(errors), [query.split('=')[0]]);
    }
    assert.equal((await owner.get('assistants/get?per_page=100&page=')).status, 200);
  });

  test('returns reduced outbound assistants as a bare array', async () => {
    const reader = await Owner.create(service);
    const { id } = await reader.create('assistant', assistantBody());
    await reader.create('assistant', assistantBody({ type: 'inbound' }));
    const { status, text } = await reader.get('assistants/outbound');
    assert.equal(status, 200);
    const list = JSON.parse(text) as Record<string, unknown>[];
    assert.deepEqual(
      list.map((record) => record['id']),
      [id],
    );
    assert.deepEqual(Object.keys(list[0] ?? {}), Object.keys(ReducedAssistant.shape));
  });
});

describe('the catalog', () => {
  const list = async (path: string) => JSON.parse((await owner.get(path)).text) as Record<string, unknown>[];

  test('lists all languages', async () => {
    const languages = await list('assistants/languages');
    assert.deepEqual(languages[0], { id: 1, name: 'English', iso_2: 'en' });
    assert.equal(languages.length, 26);
  });

  test('filters voices by all their properties', async () => {
    assert.deepEqual((await list('assistants/voices'))[0], {
      id: 1,
      name: 'Mira',
      language_id: 1,
      gender: 'female',
      preview_url: null,
      accent: 'standard',
      age: 'young',
      synthesizer_provider_id: 1,
    });
    const ids = async (query: string) => (await list(`assistants/voices?${query}`)).map(({ id }) => id);
    assert.deepEqual(await ids('language_id=2'), [5, 6, 7, 8]);
    assert.deepEqual(await ids('language_id=2&mode=multimodal'), [7, 8]);
    assert.deepEqual(await ids('language_id=2&mode=dualplex&gender=male'), [6]);
    assert.deepEqual(await ids('language_id=2&age=young&accent=standard'), [5, 8]);
    assert.deepEqual(await ids('language_id=2&search=ON'), [6]);
    assert.deepEqual(await ids('search=%25'), []);
    assert.deepEqual(await ids('synthesizer_provider_id=2'), []);
    assert.equal((await owner.get('assistants/voices?mode=x')).status, 422);
  });

  test('lists language models by default', async () => {
    // The settings of other tests' services may have added some.
    for (const path of ['assistants/models', 'assistants/models?type=llm']) {
      const own = (await list(path)).filter(({ id }) => Number(id) <= 3);
      assert.deepEqual(own, [{ id: 1, name: 'Standard' }]);
    }
    for (const type of ['multimodal', 'dualplex']) {
      const models = await list(`assistants/models?type=${type}`);
      assert.deepEqual(Object.keys(models[0] ?? {}), ['id', 'name', 'code']);
    }
    assert.equal((await owner.get('assistants/models?type=x')).status, 422);
  });

  test('filters providers by language', async () => {
    for (const [kind, all] of [
      ['synthesizer', [1, 2]],
      ['transcriber', [3, 4]],
    ] as const) {
      const ids = async (query: string) =>
        (await list(`assistants/${kind}-providers${query}`)).map(({ id }) => id);
      assert.deepEqual(await ids(''), all);
      assert.deepEqual(await ids('?language_id=1'), all);
      assert.deepEqual(await ids('?language_id=20'), [all[0]]);
      assert.deepEqual(Object.keys((await list(`assistants/${kind}-providers`))[0] ?? {}), [
        'id',
        'name',
        'code',
      ]);
    }
  });

  test('reports whether numbers are available for an inbound assistant', async () => {
    const reader = await Owner.create(service);
    const [free, taken, shown] = [
      await addNumber(service, reader.id),
      await addNumber(service, reader.id),
      await addNumber(service, reader.id, { type: 'caller_id' }),
    ];
    await reader.create('assistant', assistantBody({ type: 'inbound', phone_number_id: taken }));
    const all = JSON.parse((await reader.get('assistants/phone-numbers')).text) as Record<string, unknown>[];
    assert.deepEqual(
      all.map(({ id, is_available, type_label }) => [id, is_available, type_label]),
      [
        [free, true, 'Dedicated'],
        [taken, false, 'Dedicated'],
        [shown, false, 'Caller ID'],
      ],
    );
    assert.deepEqual(Object.keys(all[0] ?? {}), [
      'id',
      'phone_number',
      'country_code',
      'type_label',
      'is_available',
    ]);
    const inbound = JSON.parse((await reader.get('assistants/phone-numbers?type=inbound')).text) as object[];
    assert.deepEqual(inbound, [all[0]]);
    const outbound = JSON.parse(
      (await reader.get('assistants/phone-numbers?type=outbound')).text,
    ) as object[];
    assert.deepEqual(outbound, all);
    assert.equal((await owner.get('assistants/phone-numbers?type=x')).status, 422);
  });
});
