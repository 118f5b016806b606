import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importDocument } from '../../src/service/knowledge/import-document.ts';
import { demoAssistants } from '../../src/service/seed/demo-assistants.ts';
import { seedDemo } from '../../src/service/seed/seed-demo.ts';
import { createAssistant, newDatabase, startService } from '../support/service/service.ts';

// Measures how well the offline engine recognizes questions that the demo's documents answer. The questions were
// written from the documents alone, as visitors would ask them. Improve the engine for a kind of question, never for
// one of these.

/** A question that a passage of the demo's documents answers, and a phrase of that passage. */
interface AnsweredQuestion {
  question: string;
  answer: RegExp;
}

/** Questions by the language of the assistant that is asked. */
const answeredQuestions: Record<'en' | 'de' | 'ar', readonly AnsweredQuestion[]> = {
  en: [
    { question: 'Are you open on Sundays?', answer: /Sundays and public holidays/ },
    { question: 'How late can I come by on Thursday?', answer: /20:00/ },
    { question: 'Where exactly is your store?', answer: /Gerberau 14/ },
    { question: 'Can I bring my dog?', answer: /Dogs are welcome/ },
    { question: 'Is there somewhere to park my car nearby?', answer: /Schwabentorgarage/ },
    { question: "I'm in a wheelchair, can I get in?", answer: /step-free/ },
    { question: 'How long will my parcel take to Berlin?', answer: /2 to 3 working days/ },
    { question: 'Do you ship to the USA?', answer: /USA/ },
    { question: 'what does shipping to switzerland cost', answer: /€14\.90/ },
    { question: 'I need it tomorrow, is there a faster option?', answer: /€11\.90|next working day/ },
    { question: 'Where is my package? How can I track it?', answer: /tracking link/ },
    { question: 'Can I order online and collect it at the shop?', answer: /within 2 hours/ },
    { question: 'How do I send something back?', answer: /return label|30 days/ },
    { question: 'When do I get my refund?', answer: /5 working days/ },
    {
      question: 'The boots are too small, can I swap them for a bigger pair?',
      answer: /exchange it|swap it/,
    },
    { question: 'Can I pay with PayPal?', answer: /PayPal/ },
    { question: 'Do you take cash?', answer: /cash and girocard/ },
    { question: 'My zipper is broken. Can you fix it and how much is it?', answer: /New zip/ },
    { question: 'How long is the guarantee on your own tents?', answer: /5 years/ },
    { question: 'How much does the Feldberg backpack weigh?', answer: /1,240 g/ },
    { question: 'Is the rain jacket really waterproof?', answer: /20,000 mm/ },
    {
      question: 'What size hiking boots should I order if I normally wear a 42?',
      answer: /half a size larger/,
    },
    { question: 'Can you gift wrap it for me?', answer: /€3\.50/ },
    { question: 'Until when can I use a gift card?', answer: /3 years/ },
    { question: 'Can I rent a tent for the weekend?', answer: /€12 a day/ },
    { question: 'Where do I enter my discount code?', answer: /step 2/ },
  ],
  de: [
    { question: 'Haben Sie samstags geöffnet?', answer: /10:00 bis 17:00/ },
    { question: 'Was kostet der Versand nach Österreich?', answer: /9,90/ },
    { question: 'Wie lange dauert die Lieferung?', answer: /2 bis 3 Werktage/ },
    { question: 'Kann ich auf Rechnung bezahlen?', answer: /Klarna/ },
    { question: 'Die Schuhe passen nicht, kann ich sie umtauschen?', answer: /tauschen Sie es/ },
    { question: 'Können Sie meinen kaputten Reißverschluss reparieren?', answer: /ab 19/ },
    { question: 'Wie erreiche ich Sie telefonisch?', answer: /\+49 761/ },
    { question: 'Kann man bei Ihnen ein Zelt ausleihen?', answer: /12 € am Tag/ },
  ],
  ar: [
    { question: 'متى تفتحون يوم السبت؟', answer: /10:00 إلى 17:00/ },
    { question: 'كم تكلفة الشحن إلى سويسرا؟', answer: /14\.90/ },
    { question: 'كيف أعيد منتجًا لا يناسبني؟', answer: /30 يومًا/ },
    { question: 'هل أستطيع الدفع نقدًا؟', answer: /نقدًا/ },
    { question: 'هل يمكنني استئجار خيمة؟', answer: /12 يورو/ },
    { question: 'ما هو رقم هاتفكم؟', answer: /761/ },
  ],
};

/** Questions that the demo's documents do not answer. */
const unansweredQuestions: Record<'en' | 'de' | 'ar', readonly string[]> = {
  en: [
    'What is the meaning of life?',
    'Who won the world cup in 2018?',
    "What's the weather like in Freiburg today?",
    'Tell me a joke',
    'Can you help me with my math homework?',
    'How do I bake sourdough bread?',
    'What is the capital of Australia?',
    'Do you sell surfboards?',
    'Are you hiring at the moment?',
    'Write me a poem about the sea.',
    'How tall is Mount Everest?',
    "What's your opinion on politics?",
    'Can you book me a flight to Rome?',
    'What is the square root of 144?',
    'Who is the president of France?',
    'Do you have any kayaks in stock?',
    'How do I reset my Wi-Fi router?',
    'Which vaccines do I need for Nepal?',
    'What is bitcoin worth right now?',
    'Can you recommend a good restaurant nearby?',
    'How do I train for a marathon?',
    'Do you sell fishing rods?',
    'What time is it in Tokyo?',
    'Is it safe to eat wild mushrooms?',
    'Can dogs eat chocolate?',
    'Do I need a visa for Canada?',
  ],
  de: [
    'Was ist der Sinn des Lebens?',
    'Wer hat die Bundestagswahl gewonnen?',
    'Wie wird das Wetter morgen?',
    'Erzählen Sie mir einen Witz.',
    'Verkaufen Sie auch Skier?',
    'Wie koche ich Spätzle?',
    'Was läuft heute Abend im Kino?',
    'Können Sie mir einen guten Zahnarzt empfehlen?',
  ],
  ar: [
    'ما معنى الحياة؟',
    'من فاز بكأس العالم؟',
    'كيف حال الطقس اليوم؟',
    'ما هي عاصمة اليابان؟',
    'هل تبيعون هواتف محمولة؟',
    'اكتب لي قصيدة عن البحر',
  ],
};

/** Required number of right answers, of 40. */
const enough = 36;

const env = await newDatabase();
const service = await startService(env);
await seedDemo(service.running.database, env['DATA_DIR'] ?? '');

const languages = ['en', 'de', 'ar'] as const;

async function ask(language: (typeof languages)[number], question: string): Promise<string> {
  const assistant = demoAssistants.find((each) => each.language === language) ?? assert.fail();
  const conversation = await service.open(assistant.uuid, { type: 'test' });
  return (await service.send(conversation, question)).json['message'] as string;
}

test('answers 36 of 40 questions within the documents from the right passage', async () => {
  const wrong: string[] = [];
  for (const language of languages) {
    for (const { question, answer } of answeredQuestions[language]) {
      const text = await ask(language, question);
      if (!answer.test(text)) wrong.push(`${question} -> ${text}`);
    }
  }
  assert.equal(languages.flatMap((language) => answeredQuestions[language]).length, 40);
  assert.ok(40 - wrong.length >= enough, wrong.join('\n\n'));
});

test('finds nothing for 36 of 40 questions outside the documents', async () => {
  const wrong: string[] = [];
  for (const language of languages) {
    for (const question of unansweredQuestions[language]) {
      const text = await ask(language, question);
      if (!/found nothing|nichts gefunden|لم أجد/.test(text)) wrong.push(`${question} -> ${text}`);
    }
  }
  assert.equal(languages.flatMap((language) => unansweredQuestions[language]).length, 40);
  assert.ok(40 - wrong.length >= enough, wrong.join('\n\n'));
});

test('does not answer a new question with the passage of the one before', async () => {
  const assistant = demoAssistants.find(({ language }) => language === 'en') ?? assert.fail();
  const conversation = await service.open(assistant.uuid, { type: 'test' });
  await service.send(conversation, 'How do I return something?');
  const { json } = await service.send(conversation, 'What is the meaning of life?');
  assert.match(json['message'] as string, /found nothing/);
});

test('answers from a document of one line, and only questions about it', async () => {
  const { uuid, id, userId } = await createAssistant(service);
  const { pool, db } = service.running.database;
  const { rows } = await pool.query<{ id: number }>(
    "INSERT INTO knowledgebases (user_id, name) VALUES ($1, 'Small') RETURNING id",
    [userId],
  );
  const base = rows[0]?.id ?? assert.fail();
  await importDocument(db, base, { name: 'Note', markdown: 'The pool opens at nine and closes at five.' });
  await pool.query('UPDATE assistants SET knowledgebase_id = $1 WHERE id = $2', [base, id]);
  const answer = async (question: string) =>
    (await service.send(await service.open(uuid, { type: 'test' }), question)).json['message'] as string;
  for (const question of ['When does the pool open?', 'What time do you close?', 'Is there a pool?'])
    assert.match(await answer(question), /^The pool opens at nine/, question);
  for (const question of ['What is the meaning of life?', 'Who is the president of France?'])
    assert.match(await answer(question), /found nothing/, question);
});
