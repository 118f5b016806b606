import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from '../../src/service/knowledge/detect-language.ts';
import { findPassages } from '../../src/service/knowledge/find-passages.ts';
import { processed } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const service = await startService({ ...(await newDatabase()), WORKERS: 'on' });
const { db, pool } = service.running.database;
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
  const ids = new Map<string, number>();
  return {
    id,
    add: async (content: string, name: string) => {
      const file = new Blob([content]);
      const { json } = await owner.upload(`knowledgebases/${id}/documents`, { name, type: 'txt', file });
      const document = (json['data'] as { id: number }).id;
      ids.set(name, document);
      await processed(owner, id, document);
    },
    remove: (name: string) => owner.delete(`knowledgebases/${id}/documents/${ids.get(name) ?? 0}`),
    rename: (from: string, to: string) =>
      owner.put(`knowledgebases/${id}/documents/${ids.get(from) ?? 0}`, { name: to }),
    /** The documents that the offline engine would quote. */
    answer: async (question: string) =>
      (await findPassages(db, id, question, 5))
        .filter(({ isRelevant }) => isRelevant)
        .map(({ document }) => document),
    find: async (question: string) =>
      (await findPassages(db, id, question, 5)).map(({ document }) => document),
  };
}

test('uses the language of its text, also of earlier documents, and finds inflected forms of words', async () => {
  const { add, find } = await createKnowledgebase();
  await add('Repairing boots: ten euros.', 'Prices');
  assert.deepEqual(await find('repaired boot'), []);
  await add(texts.english, 'Returns');
  assert.deepEqual(await find('repaired boot'), ['Prices']);
  assert.deepEqual(await find('How do I return what I buy within some days?'), ['Returns']);
});

test('uses the language of most of its text after documents are added and deleted', async () => {
  const { add, find, remove } = await createKnowledgebase();
  await add(texts.english, 'Returns');
  await add('Die Häuser. 5', 'Häuser');
  assert.deepEqual(await find('Haus'), []);
  await add(`${texts.german}\n\n# Mehr\n\n${texts.german}`, 'Rückgabe');
  assert.deepEqual(await find('Haus'), ['Häuser']);
  await remove('Rückgabe');
  await add('Repairing boots: ten euros.', 'Prices');
  assert.deepEqual([await find('Haus'), await find('repaired boot')], [[], ['Prices']]);
  await remove('Returns');
  await add(texts.german, 'Rückgabe');
  assert.deepEqual(await find('Haus'), ['Häuser']);
});

test('keeps its language until another has twice as much text', async () => {
  const { add, find } = await createKnowledgebase();
  await add('Die Häuser. 5', 'Häuser');
  await add(texts.german, 'Rückgabe');
  await add(`${texts.german}\n\n# Mehr\n\n${texts.german}`, 'Mehr');
  await add(`${texts.english}\n\n# A\n\n${texts.english}\n\n# B\n\n${texts.english}`, 'Returns');
  await add(texts.english, 'More');
  assert.deepEqual(await find('Haus'), ['Häuser']);
});

test('has no language any more when its last document is deleted', async () => {
  const { add, find, remove } = await createKnowledgebase();
  await add(texts.english, 'Returns');
  await remove('Returns');
  await add('Repairing boots: ten euros.', 'Prices');
  assert.deepEqual(await find('repaired boot'), []);
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

test('finds words and numbers beside slashes, dots, hyphens and signs', async () => {
  const { add, find } = await createKnowledgebase();
  await add(texts.german, 'Rückgabe');
  await add('Herren/Damen: Umtausch/Änderung. Nach oben.Gutscheine', 'Wörter');
  await add('Größe-42, 030/123-456, 17.30, +49', 'Zahlen');
  await add(
    'Frage <max.muster@laden.example>, siehe https://laden.example/ und [Liste](https://laden.example/Preise)',
    'Adressen',
  );
  await add('{"url":"https://laden.example/stiefel","material":"Leder"}', 'Daten');
  for (const [question, document] of [
    ['Damen', 'Wörter'],
    ['Änderung', 'Wörter'],
    ['Umtausch', 'Wörter'],
    ['Gutscheine', 'Wörter'],
    ['42', 'Zahlen'],
    ['030/123-456', 'Zahlen'],
    ['456', 'Zahlen'],
    ['17.30', 'Zahlen'],
    ['+49', 'Zahlen'],
    ['muster', 'Adressen'],
    ['Liste', 'Adressen'],
    ['Leder', 'Daten'],
    ['Stiefel', 'Daten'],
  ] as const) {
    assert.deepEqual(await find(question), [document], question);
  }
  assert.deepEqual(await find('Preise'), []);
});

const unspaced = {
  chinese: {
    shipping: '运费为五欧元，订单满五十欧元免运费。',
    opening: '我们的店周一至周五上午九点至下午六点营业，周末休息。',
    questions: { shipping: '请问运费是多少钱？', opening: '你们周末营业吗？' },
  },
  japanese: {
    shipping: '送料は全国一律五百円です。お支払いはクレジットカードでお願いします。',
    opening: '当店の営業時間は月曜日から金曜日の九時から十八時までです。',
    questions: { shipping: '送料はいくらですか？', opening: '営業時間を教えてください。' },
  },
  thai: {
    shipping: 'ค่าจัดส่งห้าสิบบาททั่วประเทศ ชำระเงินด้วยบัตรเครดิตได้',
    opening: 'ร้านของเราเปิดวันจันทร์ถึงวันศุกร์ตั้งแต่เก้าโมงเช้าถึงหกโมงเย็น',
    questions: { shipping: 'ค่าจัดส่งเท่าไหร่คะ', opening: 'ร้านเปิดวันไหนบ้างครับ' },
  },
};
for (const [language, { shipping, opening, questions }] of Object.entries(unspaced)) {
  test(`answers questions in ${language}, which has no spaces between words`, async () => {
    const { add, answer } = await createKnowledgebase();
    await add(shipping, 'shipping');
    await add(opening, 'opening');
    for (const [document, question] of Object.entries(questions))
      assert.deepEqual(await answer(question), [document], question);
  });
}

test('finds words of scripts with and without spaces in one text', async () => {
  const { add, answer, rename } = await createKnowledgebase();
  await add('客房的WiFi密码是hotel2024。', '网络');
  await add(texts.english, 'Returns');
  assert.deepEqual(await answer('WiFi密码是什么？'), ['网络']);
  assert.deepEqual(await answer('What is the wifi 密码?'), ['网络']);
  assert.deepEqual(await answer('How do I return what I buy within some days?'), ['Returns']);
  await rename('网络', '上网说明');
  assert.deepEqual(await answer('密码是什么？'), ['上网说明']);
});

test('finds nothing for a question in Chinese about something else', async () => {
  const { add, answer } = await createKnowledgebase();
  await add(unspaced.chinese.opening, 'opening');
  assert.deepEqual(await answer('可以带狗进店吗？'), []);
});

test('reads the passages of a knowledge base a fixed number of times, however many match', async () => {
  const { id } = await owner.create('knowledgebases', { name: 'K' });
  const count = 300;
  const content = Array.from({ length: count }, (_, index) => `# Boots ${index}\n\n${texts.english}`).join(
    '\n\n',
  );
  const file = new Blob([content]);
  const { json } = await owner.upload(`knowledgebases/${id}/documents`, { name: 'Boots', type: 'txt', file });
  await processed(owner, id, (json['data'] as { id: number }).id);
  const read = await db.transaction(async (tx) => {
    await findPassages(tx, id, 'boots', 5);
    const { rows } = await tx.execute<{ read: number }>(
      "SELECT (seq_tup_read + idx_tup_fetch)::float AS read FROM pg_stat_xact_user_tables WHERE relname = 'chunks'",
    );
    return rows[0]?.read ?? 0;
  });
  assert.ok(read >= count && read <= 5 * count, `${read} passages were read`);
});

test('keeps its language if it has too much text to be indexed again at once', async () => {
  const { id, add, find, remove } = await createKnowledgebase();
  await add('Repairing boots: ten euros.', 'Prices');
  await pool.query(
    `INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, search)
     SELECT knowledgebase_id, id, n, '', 'n', '' FROM documents, generate_series(2, 5001) AS n
     WHERE knowledgebase_id = $1`,
    [id],
  );
  await add(texts.english, 'Returns');
  assert.deepEqual(await find('repaired boot'), []);
  assert.deepEqual(await find('repairing'), ['Prices']);
  await remove('Returns');
  await pool.query('DELETE FROM chunks WHERE knowledgebase_id = $1 AND position > 5000', [id]);
  await add(texts.english, 'Returns again');
  assert.deepEqual(await find('repaired boot'), ['Prices']);
});
