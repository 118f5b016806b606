import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlainSpeech } from '../../src/service/voice/plain-speech.ts';

describe('the spoken words of a Markdown text', () => {
  const cases: [markdown: string, spoken: string][] = [
    ['**Yes**, we are _open_ until `20:00`.', 'Yes, we are open until 20:00.'],
    ['## Opening hours\n\nEvery day.', 'Opening hours. Every day.'],
    ['See [our menu](https://shop.example/menu?x=1).', 'See our menu.'],
    ['See https://www.shop.example/menu?x=1 for more.', 'See shop.example for more.'],
    ['- Soup\n- Salad', 'Soup. Salad.'],
    ['1. First\n2. Second', '1. First. 2. Second.'],
    ['4711.', '4711.'],
    ['24. Dezember haben wir zu.', '24. Dezember haben wir zu.'],
    ['24. Dezember\n1. Januar\n', '24. Dezember. 1. Januar.'],
    ['12) Twelve\n13)', '12) Twelve. 13)'],
    ['| Day | Hours |\n|---|---|\n| Monday | 9 to 5 |', 'Day, Hours. Monday, 9 to 5.'],
    ['![A red chair](https://shop.example/chair.png)', 'A red chair'],
    ['Done 🎉!', 'Done !'],
    ['Fish & chips cost < 10 € <br> today.', 'Fish & chips cost < 10 € today.'],
    ['> Quoted words.', 'Quoted words.'],
    ['5 \\* 3 is 15.', '5 * 3 is 15.'],
    ['---', ''],
  ];
  for (const [markdown, spoken] of cases) {
    it(`are "${spoken}" for ${JSON.stringify(markdown)}`, () => {
      assert.equal(new PlainSpeech().convert(markdown), spoken);
    });
  }

  it('leave out a code block that spans several sentences', () => {
    const plain = new PlainSpeech();
    const spoken = ['Run this. ', '\n```sh\nnpm start. ', 'Next line.\n```\nThen wait.'].map((part) =>
      plain.convert(part),
    );
    assert.deepEqual(spoken, ['Run this.', '', 'Then wait.']);
  });
});
