import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from '../../src/service/knowledge/detect-language.ts';
import { findPassages } from '../../src/service/knowledge/find-passages.ts';
import { processed } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const service = await startService({ ...(await newDatabase()), WORKERS: 'on' });
const { db } = service.running.database;
const owner = await Owner.create(service);

const texts = {
  english:
    'You can bring back what you have bought from us within thirty days, as long as it is as it was when you got it.',
  german:
    'Sie können alles, was Sie bei uns gekauft haben, innerhalb von dreißig Tagen zurückgeben, wenn es so ist, wie es war.',
  french:
    'Vous pouvez nous rendre tout ce que vous avez acheté chez nous dans les trente jours, si c’est dans le même état.',
  spanish:
    'Usted puede devolver todo lo que ha comprado en nuestra tienda en los treinta días, si está como estaba cuando lo recibió.',
  simple: 'A1 B2 C3 D4 E5 F6 G7 H8 I9 J10 K11 L12 M13 N14 O15 P16 Q17 R18 S19 T20',
};
for (const [config, text] of Object.entries(texts)) {
  test(`detects the language of ${config} by its function words`, async () => {
    assert.equal(await detectLanguage(db, text), config);
  });
}

test('detects no language in a few words', async () => {
  assert.equal(await detectLanguage(db, 'The is of and to be.'), 'simple');
});

async function createKnowledgebase() {
  const { id } = await owner.create('knowledgebases', { name: 'K' });
  return {
    add: async (content: string, name: string) => {
      const file = new Blob([content]);
      const { json } = await owner.upload(`knowledgebases/${id}/documents`, { name, type: 'txt', file });
      await processed(owner, id, (json['data'] as { id: number }).id);
    },
    find: async (question: string) =>
      (await findPassages(db, id, question, 5)).map(({ document }) => document),
  };
}

test('uses the language of the first document that has one, and finds inflected forms of words', async () => {
  const { add, find } = await createKnowledgebase();
  await add('Repairing boots: ten euros.', 'Prices');
  assert.deepEqual(await find('repaired boot'), []);
  await add(texts.english, 'Returns');
  assert.deepEqual(await find('repaired boot'), ['Prices']);
  assert.deepEqual(await find('How do I return what I buy within some days?'), ['Returns']);
});

test('finds words with invisible characters, and with accents as separate characters', async () => {
  const { add, find } = await createKnowledgebase();
  await add(texts.german, 'Rückgabe');
  await add('Die Turm\u00aduhr.', 'Uhr');
  await add('Der Glocken\u200bklang\u200b.', 'Klang');
  await add('ร้าน\u200bเปิด\u200bทุก\u200bวัน', 'ร้าน');
  await add('Die Gärten.'.normalize('NFD'), 'Garten');
  for (const [question, document] of [
    ['Turmuhr', 'Uhr'],
    ['Turm\u00aduhr', 'Uhr'],
    ['Glockenklang', 'Klang'],
    ['เปิด', 'ร้าน'],
    ['Gärten', 'Garten'],
    ['Gärten'.normalize('NFD'), 'Garten'],
  ] as const) {
    assert.deepEqual(await find(question), [document]);
  }
});
