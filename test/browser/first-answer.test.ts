import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat-fixture.ts';
import { scriptAnswer, wait } from '../support/script-answer.ts';
import { modelService } from '../support/service-under-test.ts';

/*
 * What happens before any late part has been loaded: each test of this file needs a page that has not had an answer.
 */

/** Which parts for a page without a connection the page has asked for. */
const loaded = (): string[] =>
  performance
    .getEntriesByType('resource')
    .flatMap(({ name }) => /chunks\/(problem-notice|above-composer|menu)-.{7}\.js$/.exec(name)?.[1] ?? []);

describe('a first answer', () => {
  afterEach(unmountAll);

  it('finds there what a lost connection asks for: the page has loaded it when it had time', async () => {
    const tasks: IdleRequestCallback[] = [];
    const original = Object.getOwnPropertyDescriptor(window, 'requestIdleCallback');
    // The launcher has had its idle time by then, or what passes for it in an engine that has none.
    const chat = mount();
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    window.requestIdleCallback = (task) => tasks.push(task);
    // It stays: what began meanwhile is cancelled later.
    if (!('cancelIdleCallback' in window)) Object.assign(window, { cancelIdleCallback: () => undefined });
    try {
      await chat.open();
      await chat.answered(1);
      await until(() => tasks.length > 0, 'the wish for idle time');
      expect(loaded()).to.deep.equal([]);
      // Whoever is faster has at least what says that a message waits.
      chat.write('Hello');
      await until(() => loaded().join() === 'problem-notice', 'the part that explains problems');
      for (const task of tasks) task({ didTimeout: false, timeRemaining: () => 50 });
      await until(() => loaded().length === 3, 'the way back and the menu');
      expect(loaded()).to.have.members(['problem-notice', 'above-composer', 'menu']);
    } finally {
      if (original) Object.defineProperty(window, 'requestIdleCallback', original);
      else Reflect.deleteProperty(window, 'requestIdleCallback');
    }
  });

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
});
