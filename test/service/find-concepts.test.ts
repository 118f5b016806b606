import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConcepts } from '../../src/service/knowledge/find-concepts.ts';

/** Whether a question and a term are about the same concept, by the synonyms of the language. */
const means = (question: string, synonym: string, config = 'english') =>
  findConcepts(question, config).some(({ words, synonyms }) => [...words, ...synonyms].includes(synonym));

const spellings = (question: string, config = 'english') =>
  findConcepts(question, config).flatMap((concept) => concept.spellings ?? []);

test('finds a term whatever its spaces and apostrophes', () => {
  for (const question of ['giftcard', 'gift card', 'gift-cards', 'giftcards'])
    assert.ok(means(question, 'gift certificate*'), question);
  for (const question of ['Where is my parcel?', "where's my parcel", 'wheres my parcel'])
    assert.ok(means(question, 'order status'), question);
  assert.ok(means('is there a wheel chair ramp', 'step free'));
  assert.ok(means('do you have rain coats', 'jacket*'));
  assert.ok(means('Habt ihr einen Gutschein Code?', 'rabatt*', 'german'));
});

test('does not find a term in words that only begin like it', () => {
  assert.ok(!means('the boot sandal', 'wheelchair*'));
  assert.ok(!means('wheel of fortune', 'step free'));
});

test('finds a term with a letter too few or too many, or with two letters swapped', () => {
  for (const question of ['waranty', 'warrranty', 'warrnaty'])
    assert.ok(means(question, 'guarant*'), question);
  assert.ok(means('delivrey', 'ship*'));
  assert.ok(means('Lieferugn', 'versand*', 'german'));
});

test('does not take other words for misspelled ones', () => {
  for (const question of ['boats', 'hacket', 'bots', 'shoo']) assert.ok(!means(question, 'boot*'), question);
  assert.ok(!means('jackpot', 'coat*'));
});

test('takes a misspelled frequent word for a frequent one', () => {
  const frequent = (word: string) => findConcepts(word, 'english').some(({ isCommon }) => isCommon);
  assert.ok(frequent('agian'));
  assert.ok(frequent('feild'));
  assert.ok(!frequent('kayka'));
});

test('knows the subjects of customers, but not the business itself as one', () => {
  const subjects = findConcepts('Does the shop have a discount for left-handed people?', 'english')
    .filter(({ isSubject }) => isSubject)
    .flatMap(({ words }) => words);
  assert.deepEqual(subjects.sort(), ['discount', 'people']);
});

test('also searches a word as two words, and two words as one', () => {
  assert.ok(spellings('sleepingbag').includes('sleeping bag'));
  assert.ok(spellings('Is there a sun hat?').includes('sunhat'));
  assert.deepEqual(spellings('the hat'), []);
});

test('does not split a word of any length', () => {
  assert.ok(spellings('x'.repeat(10_000)).length === 0);
});
