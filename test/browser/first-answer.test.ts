import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat-fixture.ts';
import { scriptAnswer, wait } from '../support/script-answer.ts';
import { modelService } from '../support/service-under-test.ts';

/*
 * What happens before any late part has been loaded: each test of this file needs a page that has not had an answer.
 */

describe('a first answer', () => {
  afterEach(unmountAll);

  it('shows no marks of Markdown while what draws it is on its way', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    await chat.open();
    const seen = new Set<string>();
    const watch = new MutationObserver(() => {
      const text = chat.find('.assistant article > :last-child')?.textContent;
      if (text) seen.add(text);
    });
    watch.observe(chat.element.shadowRoot as ShadowRoot, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    const pieces = [
      'We ',
      '**open',
      ' at ten**, see [our page](https://a.example).\n\n- [Thank',
      wait,
      ' you](reply:)\n- [Where is `it`?](reply:)',
    ];
    const answer = await scriptAnswer({ pieces });
    await chat.ask(answer.question);
    await until(() => seen.size > 0, 'the beginning');
    await answer.goOn();
    await chat.answered(1);
    await until(() => chat.find('.markdown strong') !== null, 'the answer to be drawn');
    watch.disconnect();
    expect([...seen].filter((text) => /[*`[\]]|Thank$/.test(text))).to.deep.equal([]);
  });

  it('is not missed by the part that explains what may go wrong: it comes while the question is written', async () => {
    const chat = mount();
    await chat.open();
    chat.write('Hello');
    await until(
      () => performance.getEntriesByType('resource').some(({ name }) => /chunks\/problem-notice-/.test(name)),
      'the part',
    );
  });
});
