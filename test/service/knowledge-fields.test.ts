import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { many, testFields, textOf, whole } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

// Workers are off, so no website is read.
const service = await startService();
const owner = await Owner.create(service);
const base = (await owner.create('knowledgebases', { name: 'Shop' })).id;
const path = `knowledgebases/${base}/documents`;
const url = 'https://shop.example/';
const link = { link: url };
const site = { name: 'Site', type: 'website', url };
const texts = [textOf('name', 255, true), textOf('description', 255)];

/** Returns the stored source of a document. */
async function sourceOf(id: unknown) {
  const { rows } = await service.running.database.pool.query<{ links: string[]; limit: number }>(
    'SELECT links, relative_links_limit AS limit FROM document_sources WHERE document_id = $1',
    [id],
  );
  return rows[0];
}

describe('a field of a knowledge base', () => {
  testFields(texts, 200, (fields) => owner.put(`knowledgebases/${base}`, fields));
});

describe('a field of a new document', () => {
  testFields(
    [
      ...texts,
      ['type', ['website'], ['image', '', 5, null]],
      ['url', [url.padEnd(2048, 'x')], [url.padEnd(2049, 'x'), 'ftp://shop.example/', 'shop', '', 5]],
      whole('relative_links_limit', 1, 50),
      [
        'links',
        [[], null, [link], many(50, link)],
        ['x', {}, ['x'], [{}], [{ link: 'ftp://shop.example/' }], [{ link: 5 }], many(51, link)],
      ],
    ],
    201,
    (fields) => owner.post(path, { ...site, ...fields }),
  );

  test('causes no errors in other fields if it is invalid', async () => {
    const refused = async (links: unknown) => {
      const { status, errors } = await owner.post(path, { name: 'Site', type: 'website', links });
      assert.equal(status, 422);
      return Object.keys(errors);
    };
    assert.deepEqual(await refused([{ link: 'shop' }]), ['links.0.link']);
    assert.deepEqual(await refused('shop'), ['links']);
    assert.deepEqual(await refused([]), ['url']);
    assert.deepEqual(await refused(null), ['url']);
  });

  test('has a default if it is absent: ten links are followed', async () => {
    const { id } = await owner.create(path, site);
    assert.deepEqual(await sourceOf(id), { links: [url], limit: 10 });
  });

  test('can be a list in a form, with names as in PHP', async () => {
    const { status, json, text } = await owner.upload(path, {
      name: 'Site',
      type: 'website',
      'links[0][link]': `${url}a`,
      'links[1][link]': `${url}b`,
      relative_links_limit: '3',
    });
    assert.equal(status, 201, text);
    const { id } = json['data'] as { id: number };
    assert.deepEqual(await sourceOf(id), { links: [`${url}a`, `${url}b`], limit: 3 });
    const wrong = await owner.upload(path, { name: 'Site', type: 'website', 'links[0][address]': url });
    assert.deepEqual([wrong.status, Object.keys(wrong.errors)], [422, ['links.0.link']]);
  });
});
