import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { requestsOptOut } from '../../src/service/campaign/opt-out.ts';

/** Requests not to be called again, as in transcripts: sometimes without punctuation. */
const requests = [
  'Please do not call me again. Goodbye.',
  "Don't call me again.",
  'Don’t ever call me again!',
  'dont call me anymore please',
  'No thank you don’t call here any more',
  'Look, just never call me again, okay?',
  'I said, do not call this number.',
  'And please never phone us again, thanks.',
  'Please don’t call back.',
  "Don't call me at this number again, it's my work phone.",
  'Stop calling me!',
  'Would you please stop calling me?',
  'Can you stop calling this number?',
  'Why don’t you just stop calling me?',
  'I want you to stop calling us.',
  'You need to stop calling me, it is the third time today.',
  'I already told you people to quit calling here.',
  'Please stop harassing me with these calls.',
  'I asked you not to call me.',
  'I told you last week not to call me anymore.',
  "I'd prefer that you don't call me again.",
  'I would rather you did not call me again.',
  "I don't want you to call me again.",
  "I don't want you calling me any more.",
  'I do not want to be called again.',
  "I don't wish to be contacted.",
  "I really don't want any more calls from you.",
  'I do not want to receive any further calls.',
  'No more calls, please.',
  'Take me off your list.',
  'Could you please take my number off your calling list?',
  'I want to be removed from your list.',
  'Remove this number from your database, please.',
  'Can you put me on your do-not-call list?',
  'Please add my number to the do not call list.',
  'Please delete my number.',
  'Lose my number.',
  'Leave me alone!',
  'You never call me back when I need you, so please stop calling me.',
  'What is this about? I am not interested. Please don’t call again.',
  'You must not call me again.',
  'You are not to call this number again.',
  'hello yes this is ben i am not interested please do not call me again goodbye',
  'Rufen Sie mich nicht mehr an.',
  'Bitte rufen Sie mich nicht mehr an. Auf Wiederhören.',
  'rufen sie mich bitte nie wieder an',
  'Nein danke, rufen Sie hier bitte nicht mehr an!',
  'Ruf mich nie wieder an.',
  'Ruft bitte nicht noch mal an.',
  'Rufen Sie diese Nummer nicht mehr an.',
  'Rufen Sie mich nicht an.',
  'Bitte nicht mehr anrufen.',
  'ja hallo ich habe kein interesse bitte rufen sie mich nicht mehr an',
  'Können Sie mich bitte nicht mehr anrufen?',
  'Könnten Sie bitte aufhören, mich anzurufen?',
  'Hören Sie auf, mich anzurufen!',
  'Hören Sie bitte endlich auf hier anzurufen.',
  'Ich möchte, dass Sie mich nicht mehr anrufen.',
  'Ich möchte nicht, dass Sie mich noch einmal anrufen.',
  'Ich will nicht mehr angerufen werden.',
  'Ich möchte nicht angerufen werden.',
  'Sie sollen mich nicht mehr anrufen, habe ich gesagt.',
  'Ich habe Ihnen schon gesagt, dass Sie mich nicht mehr anrufen sollen.',
  'Ich bitte Sie, mich nicht wieder anzurufen.',
  'Sie brauchen mich nicht mehr anzurufen.',
  'Ich verbiete Ihnen, mich anzurufen.',
  'Ich möchte keine Anrufe mehr von Ihnen.',
  'Keine Anrufe mehr bitte.',
  'Ich wünsche keine weiteren Anrufe.',
  'Ich will keine Werbeanrufe.',
  'Unterlassen Sie diese Anrufe.',
  'Streichen Sie mich von Ihrer Liste.',
  'Können Sie mich bitte aus Ihrer Anrufliste nehmen?',
  'Nehmen Sie meine Nummer aus dem Verteiler.',
  'Löschen Sie bitte meine Nummer.',
  'Bitte meine Telefonnummer löschen.',
  'Lassen Sie mich in Ruhe!',
  'Lassen Sie uns bitte endlich in Ruhe.',
  'Ich widerspreche der Nutzung meiner Telefonnummer.',
  'Setzen Sie mich bitte auf Ihre Sperrliste.',
  'من فضلك لا تتصل بي مرة أخرى.',
  'لا تتصلوا بنا من فضلكم',
];

/** Complaints, questions, negations and other sentences that are similar to a request. */
const others = [
  'You never call me back.',
  'You never call me.',
  'You don’t call me when you promise to.',
  'They never call me anymore.',
  'My kids don’t call me anymore.',
  'Why do you never call me back?',
  "Why don't you call me tomorrow?",
  'Nobody calls me back, you never call me either.',
  'If you don’t call me tomorrow I will cancel.',
  'So you do not call me on weekends?',
  'Did I ask you not to call me?',
  'Did you stop calling me because of the price?',
  'Why did you stop calling me?',
  'When will you stop calling me?',
  'Please don’t stop calling me.',
  "I never said don't call me.",
  "I didn't say you should stop calling me.",
  "I'm not saying don't call me again.",
  'I don’t mean that you should take me off your list.',
  "I don't want you to stop calling me.",
  'Please do not take me off your list.',
  'Did you take me off your list?',
  "Don't call me Mister, call me Ben.",
  "Don't call me stupid.",
  "Please don't call me before nine.",
  "Don't call me now, call me tomorrow.",
  'Don’t call me again until Monday.',
  "Don't call me today, I am at the doctor's.",
  'Please do not call me after eight in the evening.',
  "Don't call me if it rains.",
  'You don’t have to call me back.',
  'Don’t hesitate to call me.',
  'Don’t forget to call me!',
  'Never mind, call me again tomorrow.',
  'I do not want to miss your call.',
  'I had no more calls from you.',
  'Why do I get no more calls from you?',
  'They won’t leave me alone, my neighbours.',
  'Please don’t leave me alone with this.',
  'I hope you did not delete my number.',
  'Did you lose my number?',
  'Is there a do-not-call list?',
  'I am not interested.',
  'Thank you, goodbye!',
  'My doctor told me not to call an ambulance.',
  'Sie rufen mich nie zurück.',
  'Sie rufen mich ja nie an.',
  'Warum rufen Sie mich nicht mehr an?',
  'Rufen Sie mich nicht mehr an?',
  'Wieso rufen Sie nie an, wenn Sie es versprechen?',
  'Meine Kinder rufen mich nicht mehr an.',
  'Mich ruft ja keiner mehr an.',
  'Der Techniker hat mich nicht mehr angerufen.',
  'Ich habe nie gesagt, dass Sie mich nicht mehr anrufen sollen.',
  'Ich meine nicht, dass Sie mich nicht mehr anrufen sollen.',
  'Habe ich gesagt, dass Sie mich nicht mehr anrufen sollen?',
  'Rufen Sie mich heute nicht mehr an, morgen passt es besser.',
  'Rufen Sie mich bitte nicht vor neun an.',
  'Rufen Sie mich nicht mehr so spät an.',
  'Bitte heute nicht mehr anrufen.',
  'Wenn Sie mich nicht mehr anrufen, kündige ich.',
  'Wollen Sie mich denn nicht mehr anrufen?',
  'Ich bekomme keine Anrufe mehr von Ihnen.',
  'Warum bekomme ich keine Anrufe mehr?',
  'Hören Sie nicht auf, mich anzurufen.',
  'Wann hören Sie auf, mich anzurufen?',
  'Bitte streichen Sie mich nicht von der Liste.',
  'Haben Sie meine Nummer gelöscht?',
  'Haben Sie mich von der Liste gestrichen?',
  'Stehe ich noch auf Ihrer Liste?',
  'Die lassen mich nicht in Ruhe.',
  'Lassen Sie mich in Ruhe überlegen.',
  'Ich habe kein Interesse.',
  'Ich konnte Sie nicht anrufen.',
  'Kann ich Sie nicht mehr anrufen?',
  'Rufen Sie mich bitte morgen wieder an.',
  'Wann rufen Sie mich wieder an?',
  'لماذا لا تتصل بي؟',
  'شكرًا لك، مع السلامة!',
];

const detects = (content: string, role = 'user') => requestsOptOut([{ role, content }]);

describe('requestsOptOut', () => {
  for (const sentence of requests) {
    test(`detects "${sentence}"`, () => {
      assert.equal(detects(sentence), true);
    });
  }

  for (const sentence of others) {
    test(`ignores "${sentence}"`, () => {
      assert.equal(detects(sentence), false);
    });
  }

  test('detects a request in any sentence of the customer, but not of the assistant', () => {
    const request = 'Hello. Who is there? I am busy.\nPlease do not call me again. Bye!';
    assert.equal(detects(request), true);
    assert.equal(detects(request, 'assistant'), false);
  });

  test('takes no exponential time for a request with a long end', () => {
    // The process can be stopped, unlike this one.
    const from = import.meta.resolve('../../src/service/campaign/opt-out.ts');
    const messages = ["don't call me", 'stop calling'].map((request) => ({
      role: 'user',
      content: `${request}${' with this a again'.repeat(40)} 9`,
    }));
    const script = `import { requestsOptOut } from '${from}';
      console.log(requestsOptOut(${JSON.stringify(messages)}));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      timeout: 60_000,
      encoding: 'utf8',
    });
    assert.equal(stdout, 'false\n');
  });

  test('takes linear time for long texts', () => {
    // The fastest of several runs: other threads of the process, and other processes, slow some of them down.
    const time = (text: string) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const start = process.cpuUsage().user;
          detects(text);
          return process.cpuUsage().user - start;
        }),
      );
    for (const words of [
      'do not call ',
      'you stop calling ',
      'nicht mehr ',
      'rufen sie mich ',
      'please, ',
      'please ',
      'bitte jetzt ',
      'stop calling with this again ',
      'ich möchte ',
    ]) {
      const once = Math.max(5000, time(words.repeat(5000)));
      assert.ok(time(words.repeat(20_000)) < once * 12, words);
    }
  });
});
