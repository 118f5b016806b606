import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { holdScript, uncachedWidget } from '../support/browser/fail-script.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

/*
 * Before any lazy module has been loaded: each test of this file needs a page that has not had an answer.
 */

/** The lazy modules that the page has loaded or prefetched. */
const loaded = (): string[] => {
  const files = performance
    .getEntriesByType('resource')
    .flatMap(({ name }) => /chunks\/(messaging|markdown|extras)-[\w-]+\.js$/.exec(name)?.[1] ?? []);
  return [...new Set(files)].sort();
};

describe('a first answer', () => {
  let page: OtherPage | undefined;

  afterEach(async () => {
    holdScript();
    page?.close();
    await unmountAll();
  });

  it('finds its modules loaded, because the page was idle before', async () => {
    const tasks: IdleRequestCallback[] = [];
    const original = Object.getOwnPropertyDescriptor(window, 'requestIdleCallback');
    // The launcher has used its idle callback, or its substitute, by then.
    const chat = mount();
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    window.requestIdleCallback = (task) => tasks.push(task);
    try {
      await chat.open();
      await chat.answered(1);
      await until(() => tasks.length > 0, 'the request for idle time');
      expect(loaded()).to.deep.equal([]);
      const runTasks = (): void => {
        for (const task of tasks.splice(0)) task({ didTimeout: false, timeRemaining: () => 50 });
      };
      runTasks();
      await until(() => loaded().join() === 'markdown,messaging', 'the modules of the first answer');
      await chat.ask('Do you have gift cards?');
      await chat.answered(2);
      expect(loaded().join()).to.equal('markdown,messaging');
      runTasks();
      await until(() => loaded().join() === 'extras,markdown,messaging', 'the other module');
    } finally {
      if (original) Object.defineProperty(window, 'requestIdleCallback', original);
      else Reflect.deleteProperty(window, 'requestIdleCallback');
    }
  });

  it('shows no Markdown syntax while the Markdown module loads', async () => {
    holdScript('markdown');
    page = await openPage(undefined, uncachedWidget());
    const { chat } = page;
    chat.element.setAttribute('base-url', modelService.url);
    chat.element.setAttribute('assistant-id', modelService.assistantThatShows('no-greeting'));
    chat.element.show();
    await chat.ready();
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
    const chunks = [
      'We ',
      '**open',
      ' at ten**, see [our page](https://a.example).\n\n- [Thank',
      wait,
      ' you](reply:)\n- [Where is `it`?](reply:)',
    ];
    const answer = await scriptAnswer({ chunks });
    await chat.ask(answer.question);
    await until(() => seen.size > 0, 'the beginning');
    await answer.resume();
    await chat.answered(1);
    watch.disconnect();
    expect(chat.find('.markdown')).to.equal(null);
    expect([...seen].at(-1)?.trim()).to.equal('We open at ten, see our page.');
    expect([...seen].filter((text) => /[*`[\]]|Thank$/.test(text))).to.deep.equal([]);
  });
});
