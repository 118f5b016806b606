import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineRequest, Passage } from '../../src/service/engine/engine.ts';
import { OfflineEngine } from '../../src/service/engine/offline/offline-engine.ts';
import { demoAssistants } from '../../src/service/seed/demo-assistants.ts';
import { seedDemo } from '../../src/service/seed/seed-demo.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { processed } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { createAssistant, newDatabase, startService } from '../support/service/service.ts';

const env = await newDatabase();
const service = await startService({ ...env, WORKERS: 'on' });
await seedDemo(service.running.database, env['DATA_DIR'] ?? '');

const open = (shows: string) =>
  service.open(demoAssistants.find((assistant) => assistant.shows === shows)?.uuid ?? '', { type: 'test' });

async function ask(shows: string, ...questions: string[]): Promise<string> {
  const conversation = await open(shows);
  let answer = '';
  for (const question of questions) {
    const { status, json } = await service.send(conversation, question);
    assert.equal(status, 200);
    answer = json['message'] as string;
  }
  return answer;
}

const english: [question: string, fact: string][] = [
  ['When are you open?', '10:00 to 18:30'],
  ['Are you open on Sundays?', 'Sundays and public holidays:** closed'],
  ['what time do you close on thursday', '10:00 to 20:00'],
  ['How long does delivery take?', '2 to 3 working days'],
  ['When will my parcel arrive?', '2 to 3 working days'],
  ['How much is shipping?', '€4.90'],
  ['Do you ship to the UK?', 'not to the United Kingdom'],
  ['Can I get it tomorrow?', '€11.90'],
  ['Where is my order?', 'tracking link'],
  ['Can I pick my order up in the shop?', 'within 2 hours'],
  ['How do I return something?', '30 days'],
  ['Can I send my boots back?', '30 days'],
  ['Can I return a jacket?', '30 days'],
  ['can i return my boots', '30 days'],
  ['Do I have to pay for returns?', 'free within Germany'],
  ['How long does a refund take?', '5 working days'],
  ["The jacket doesn't fit, can I swap it?", 'another size'],
  ['How can I pay?', 'PayPal'],
  ['Do you accept credit cards?', 'Mastercard'],
  ['Is there a warranty?', '2 years'],
  ['My zipper is broken, can you fix it?', 'from €19'],
  ['Could you wrap it as a present?', '€3.50 per parcel'],
  ['How long is a gift card valid?', '3 years'],
  ['Where do I enter my voucher code?', 'step 2 of the checkout'],
  ['Do the boots run small?', 'half a size larger'],
  ['What sizes do you have?', 'XS to XXL'],
  ['How can I reach you by phone?', '+49 761 5550 140'],
  ['Where is your shop?', 'Gerberau 14'],
  ['Can I rent a tent?', '€12 a day'],
  ['How heavy is the Sternwald tent?', '1.9 kg'],
  ['What does the Feldberg backpack cost?', '€149'],
  ['Are dogs allowed?', 'Dogs are welcome'],
];
for (const [question, fact] of english) {
  test(`"${question}" is answered with "${fact}"`, async () => {
    const answer = await ask('greeting', question);
    assert.ok(answer.includes(fact), answer);
    assert.ok(answer.length < 900);
  });
}

const german: [question: string, fact: string][] = [
  ['Wann habt ihr geöffnet?', '10:00 bis 18:30 Uhr'],
  ['Wie lange dauert die Lieferung?', '2 bis 3 Werktage'],
  ['Was kostet der Versand?', '4,90 €'],
  ['Wie kann ich etwas zurückgeben?', '30 Tagen'],
  ['Die Jacke passt nicht, kann ich sie umtauschen?', 'andere Größe'],
  ['Kann ich mit PayPal zahlen?', 'Klarna'],
  ['Wie lange habe ich Garantie?', '5 Jahre'],
  ['Mein Reißverschluss ist kaputt', 'ab 19 €'],
  ['Können Sie es als Geschenk einpacken?', '3,50 €'],
  ['Wie erreiche ich Sie?', '+49 761 5550 140'],
  ['Fallen die Stiefel klein aus?', 'halbe Nummer größer'],
];
for (const [question, fact] of german) {
  test(`auf „${question}“ folgt „${fact}“`, async () => {
    const answer = await ask('german', question);
    assert.ok(answer.includes(fact), answer);
  });
}

const arabic: [question: string, fact: string][] = [
  ['ما هي ساعات العمل؟', '18:30'],
  ['كم يستغرق التوصيل؟', '3 أيام عمل'],
  ['كم تكلفة الشحن؟', '4.90'],
  ['كيف يمكنني إرجاع منتج؟', '30 يومًا'],
  ['كيف يمكنني الدفع؟', 'باي بال'],
  ['ما مدة الضمان؟', 'سنتان'],
  ['هل يمكن تغليف الطلب كهدية؟', '3.50'],
  ['كيف أتواصل معكم؟', '+49 761 5550 140'],
  ['أين يقع المتجر؟', 'Gerberau 14'],
  ['هل يمكنني استئجار خيمة؟', '12 يورو'],
];
for (const [question, fact] of arabic) {
  test(`يُجاب عن «${question}» بـ «${fact}»`, async () => {
    const answer = await ask('arabic', question);
    assert.ok(answer.includes(fact), answer);
  });
}

test('understands a follow-up question with the question before it', async () => {
  const answer = await ask('greeting', 'How much is shipping?', 'And to Austria?');
  assert.match(answer, /Austria/);
});

test('answers each question of a message, with its source', async () => {
  for (const question of [
    'When are you open, and can I return a jacket?',
    'when are you open and can i return a jacket',
    'When are you open? Can I return a jacket?',
  ]) {
    const answer = await ask('greeting', question);
    assert.match(answer, /10:00 to 18:30[\s\S]*Source: Opening hours[\s\S]*30 days[\s\S]*Source: Returns/);
  }
  const german = await ask('german', 'Wann haben Sie geöffnet und wie kann ich etwas zurückgeben?');
  assert.match(german, /10:00 bis 18:30[\s\S]*30 Tagen/);
});

test('does not take a clause with "it" for a question of its own', async () => {
  const answer = await ask('greeting', 'What does the backpack cost and how much does it weigh?');
  assert.match(answer, /1,240 g/);
  assert.doesNotMatch(answer, /Sternwald/);
});

test('does not take a statement for a question of its own', async () => {
  const answer = await ask('greeting', 'My parcel reached you on Tuesday. When will I get my money back?');
  assert.match(answer, /5 working days/);
  assert.equal(answer.match(/Source/g)?.length, 1);
});

test('answers one clause of a message if the rest has no answer', async () => {
  assert.match(await ask('greeting', 'I bought a jacket and want to return it'), /30 days/);
});

test('says that the knowledge base has no answer and that no model is configured', async () => {
  for (const question of [
    'What is the meaning of life?',
    'Who is the president of France?',
    'Tell me a joke',
    'asdfgh',
    '???',
    '😀',
    "'; DROP TABLE chunks; --",
    "it's \\ a & b | !c <-> (d) :* 'e",
  ]) {
    assert.match(await ask('greeting', question), /found nothing.*No language model is configured/, question);
  }
  assert.match(await ask('german', 'Was ist der Sinn des Lebens?'), /nichts gefunden.*kein Sprachmodell/);
  assert.match(await ask('arabic', 'ما معنى الحياة؟'), /لم أجد.*لا يوجد نموذج لغوي/);
});

test('says the same without a knowledge base', async () => {
  const { uuid } = await createAssistant(service);
  const { json } = await service.send(await service.open(uuid), 'When are you open?');
  assert.match(json['message'] as string, /found nothing.*No language model is configured/);
});

test('says which gear the shop sells, as the greeting offers', async () => {
  for (const question of ['What gear do you sell?', 'Tell me about your gear'])
    assert.match(await ask('greeting', question), /tent.*stove/s, question);
});

test('answers small talk in the language of the assistant', async () => {
  assert.match(await ask('greeting', 'Hello there!'), /^Hello!/);
  for (const opening of [
    'Hello, I have a question.',
    'Hi there, I have a quick question',
    'Can I ask you something?',
    'Hello, can I ask a quick question?',
    'I’ve got a question for you',
  ])
    assert.match(await ask('greeting', opening), /^Hello! What would you like to know\?$/, opening);
  for (const opening of ['Guten Tag, ich habe eine Frage.', 'Ich habe Fragen'])
    assert.match(await ask('german', opening), /^Hallo! Was möchten Sie wissen\?$/, opening);
  assert.match(await ask('arabic', 'مرحبًا، لدي سؤال.'), /^مرحبًا!/);
  assert.match(await ask('greeting', 'Thanks a lot'), /welcome/);
  assert.match(await ask('greeting', 'Bye!'), /Goodbye/);
  assert.match(await ask('greeting', 'OK, great'), /^All right/);
  assert.match(await ask('greeting', "What's your name?"), /automated assistant/);
  assert.match(await ask('german', 'Alles klar'), /^Alles klar/);
  assert.match(await ask('greeting', 'Are you a bot?'), /automated assistant/);
  assert.match(await ask('german', 'Guten Tag'), /^Hallo!/);
  assert.match(await ask('german', 'Vielen Dank!'), /gerne/);
  assert.match(await ask('german', 'Hello'), /^Hallo!/);
  assert.match(await ask('arabic', 'مرحبا'), /^مرحبًا!/);
  assert.match(await ask('arabic', 'شكرا جزيلا'), /على الرحب/);
  assert.match(await ask('greeting', 'Hello, when are you open?'), /10:00 to 18:30/);
});

test('quotes a passage with its document and heading', async () => {
  assert.match(await ask('greeting', 'How much is shipping?'), /\n\nSource: Delivery – Shipping costs$/);
  assert.match(await ask('german', 'Was kostet der Versand?'), /\n\nQuelle: \S.* – \S.*$/);
  assert.match(await ask('arabic', 'كم تكلفة الشحن؟'), /\n\nالمصدر: \S.* – \S.*$/);
  assert.doesNotMatch(await ask('greeting', 'Hello there!'), /Source/);
});

/** Has the engine answer from the passages alone, by default in writing. */
async function answerFrom(passages: Passage[], isSpoken = false): Promise<string> {
  const request = {
    assistant: { language: 'en' },
    history: [],
    message: 'Are dogs welcome?',
    isSpoken,
    toolResults: [],
    pageTools: [],
    tools: [],
    findPassages: () => Promise.resolve(passages),
  } as unknown as EngineRequest;
  let streamed = '';
  for await (const event of new OfflineEngine().reply(request, new AbortController().signal))
    if (event.type === 'delta') streamed += event.text;
  return streamed;
}

const rules = { document: 'Rules', heading: 'Rules', body: 'Dogs are welcome.', isRelevant: true, score: 2 };
const hotel = { ...rules, document: 'Hotel', heading: 'Pets', body: 'Dogs cost 5 euros.' };

test('names no source in spoken replies', async () => {
  assert.equal(await answerFrom([rules], true), 'Dogs are welcome.');
  assert.equal(await answerFrom([rules]), 'Dogs are welcome.\n\nSource: Rules');
});

test('also quotes the next passage if it matches about as well, except in spoken replies', async () => {
  const tied = { ...hotel, score: 1.9 };
  const both = 'Dogs are welcome.\n\nSource: Rules\n\nDogs cost 5 euros.\n\nSource: Hotel – Pets';
  assert.equal(await answerFrom([rules, tied]), both);
  assert.equal(await answerFrom([rules, tied], true), 'Dogs are welcome.');
  assert.equal(await answerFrom([rules, { ...hotel, score: 1.5 }]), 'Dogs are welcome.\n\nSource: Rules');
});

const stay =
  'Breakfast is served from seven to ten, with bread from the village and eggs from our own hens. '.repeat(4);

test('speaks only the paragraph of a long passage that answers', async () => {
  const body = `The Lantern Hotel\n\n${stay}\n\nDogs are welcome in every room:\n\n- small ones are free\n- large ones cost 5 euros`;
  const spoken = 'Dogs are welcome in every room:\n\n- small ones are free\n- large ones cost 5 euros';
  assert.equal(await answerFrom([{ ...hotel, body }], true), spoken);
  assert.ok((await answerFrom([{ ...hotel, body }])).startsWith(body));
});

test('speaks a heading with its text, and short lines without a full stop', async () => {
  const body = `The Lantern Hotel\n\n${stay}\n\nDogs and cats\n\nThey pay 5 euros a night\n\nCall 0761 5550140`;
  assert.equal(await answerFrom([{ ...hotel, body }], true), 'Dogs and cats\n\nThey pay 5 euros a night');
});

test('speaks a whole passage if none of its paragraphs has a word of the question', async () => {
  const body = `${stay}\n\nPets sleep in their baskets.`;
  assert.equal(await answerFrom([{ ...hotel, body }], true), body);
});

test('does not speak of the model in a call', async () => {
  assert.match(await answerFrom([], true), /found nothing.*other words\?$/);
});

test('does not answer from a passage that matches much worse than an irrelevant one', async () => {
  assert.match(
    await answerFrom([
      { ...rules, isRelevant: false },
      { ...hotel, score: 1 },
    ]),
    /found nothing/,
  );
});

test('reports an answer from the knowledge base as a function call in the mode function_call', async () => {
  const { uuid, id } = await createAssistant(service);
  await service.running.database.pool.query(
    "UPDATE assistants SET knowledgebase_mode = 'function_call', knowledgebase_id = (SELECT knowledgebase_id FROM assistants WHERE uuid = $2) WHERE id = $1",
    [id, demoAssistants.find(({ shows }) => shows === 'greeting')?.uuid],
  );
  const conversation = await service.open(uuid);
  const calls = async (question: string) =>
    (await service.send(conversation, question)).json['function_calls'];
  const found = (query: string, document: string, heading: string) => [
    { name: 'search_knowledge', arguments: { query }, result: { passages: [{ document, heading }] } },
  ];
  assert.deepEqual(
    await calls('How much is shipping?'),
    found('How much is shipping?', 'Delivery', 'Shipping costs'),
  );
  for (const question of ['Thanks a lot', 'What is the meaning of life?'])
    assert.deepEqual(await calls(question), []);
});

test('gives the same answer to the same question', async () => {
  assert.equal(
    await ask('greeting', 'How much is shipping?'),
    await ask('greeting', 'How much is shipping?'),
  );
});

test('streams answers word by word', async () => {
  const events = await (await service.stream(await open('greeting'), 'When are you open?')).all();
  const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data['text'] as string);
  assert.ok(deltas.length > 20);
  assert.ok(deltas.every((text) => (text.match(/\S+/g) ?? []).length <= 1));
  assert.equal(deltas.join(''), events.at(-1)?.data['message']);
});

test('answers a very long question quickly', async () => {
  const answer = await ask('greeting', `${'shipping cost delivery return '.repeat(66)}?`);
  assert.ok(answer.length > 0);
});

/** Asks an assistant whose knowledge base is one document. */
async function askWithDocument(language: number, content: string, question: string): Promise<string> {
  const owner = await Owner.create(service);
  const { id: base } = await owner.create('knowledgebases', { name: 'Facts' });
  const { json } = await owner.upload(`knowledgebases/${base}/documents`, {
    name: 'Facts',
    type: 'txt',
    file: new Blob([content]),
  });
  await processed(owner, base, (json['data'] as { id: number }).id);
  const body = assistantBody({ language_id: language, knowledgebase_id: base });
  const { json: created } = await owner.post('assistant', body);
  const { uuid } = created['data'] as { uuid: string };
  const answer = await service.send(await service.open(uuid, { type: 'test' }), question);
  return answer.json['message'] as string;
}

const [english1, german1, french4, chinese, japanese] = [1, 2, 4, 23, 24];
const hours = 'We are open Monday to Friday from 9 to 18.';
const parking = 'Parking is free behind the house.';
const oneLine: [document: string, question: string, isAnswered: boolean][] = [
  [hours, 'Are you open on Monday?', true],
  [hours, 'Are you open on Sunday?', true],
  [hours, 'When are you open?', true],
  [hours, 'What are your opening hours?', true],
  [hours, 'Until when are you open on Friday?', true],
  [parking, 'Where can I park?', true],
  [parking, 'Is there parking?', true],
  [hours, 'How much is shipping?', false],
  [hours, 'Who is the president of France?', false],
  [hours, 'Is your shop open on Monday?', true],
  ['A sleeping bag costs 90 euros.', 'What does a sleepingbag cost?', true],
  ['Sunhats cost 9 euros.', 'What does a sun hat cost?', true],
  [hours, 'what are your openning hours', true],
  [hours, 'r u open on monday pls', true],
];
for (const [document, question, isAnswered] of oneLine) {
  test(`"${question}" is ${isAnswered ? '' : 'not '}answered from a document that is only "${document}"`, async () => {
    const answer = await askWithDocument(english1, document, question);
    assert.equal(answer.includes(document), isAnswered, answer);
  });
}

test('answers a German question from a document of one line', async () => {
  const document = 'Wir haben Montag bis Freitag von 9 bis 18 Uhr geöffnet.';
  assert.ok((await askWithDocument(german1, document, 'Habt ihr am Montag offen?')).includes(document));
});

const unspaced: [language: number, document: string, question: string][] = [
  [chinese, '我们的营业时间为周一至周五上午九点至下午六点，周末休息。', '你们的营业时间是什么时候？'],
  [japanese, '営業時間は月曜日から金曜日の九時から十八時までです。', '営業時間を教えてください。'],
  [english1, 'เวลาเปิดทำการคือวันจันทร์ถึงวันศุกร์เก้าโมงเช้าถึงหกโมงเย็น', 'เวลาเปิดทำการคือเมื่อไร'],
];
for (const [language, document, question] of unspaced) {
  test(`answers "${question}", which has no spaces between words`, async () => {
    const answer = await askWithDocument(language, document, question);
    assert.ok(answer.includes(document), answer);
  });
}

test('ignores the stop words of a language without a vocabulary', async () => {
  const document =
    'Nous sommes ouverts du lundi au vendredi de 9 à 18 heures, et le samedi de 10 à 16 heures dans la boutique.';
  const answer = await askWithDocument(french4, document, 'Est-ce que vous êtes ouverts le lundi ?');
  assert.ok(answer.includes(document), answer);
});
