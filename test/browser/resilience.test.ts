import { expect } from '@open-wc/testing';
import {
  conversationKey,
  faulty,
  mount,
  nextEvent,
  unmountAll,
  until,
} from '../support/chat/chat-fixture.ts';
import { click, press } from '../support/browser/page.ts';
import { scriptAnswer } from '../support/browser/script-answer.ts';
import { modelService, service } from '../support/browser/service-under-test.ts';

describe('the widget', () => {
  afterEach(unmountAll);

  it('shows an answer that is nested extremely deep', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    await chat.open();
    const { question } = await scriptAnswer({ chunks: [`${'> '.repeat(1200)}x`] });
    await chat.ask(question);
    await chat.answered(1);
    expect(chat.messages.at(-1)).to.contain('> > >');
    await chat.ask('Still there?');
    await until(() => chat.messages.includes('user: Still there?'), 'the next message');
  });

  for (const nonsense of ['[null,1]', 'null', '{', '{"conversationId":7,"pending":"none"}'])
    it(`opens a new conversation when everything in storage is ${nonsense}`, async () => {
      const first = mount();
      await first.open();
      await first.ask('What are your opening hours?');
      await first.answered(2);
      const keys = Object.keys(localStorage);
      expect(keys).to.include(conversationKey()).and.to.have.length.above(1);
      // A chat that is only removed finishes its exchange, and stores it.
      await unmountAll();
      for (const key of keys) localStorage.setItem(key, nonsense);
      const chat = mount();
      await chat.open();
      await chat.answered(1);
      expect(chat.messages).to.have.length(1);
    });

  it('truncates an assistant’s name of a million characters', async () => {
    const id = service.assistantThatShows('greeting');
    Object.assign(globalThis, { voiceAssistantChatSettings: { [id]: { name: 'N'.repeat(1_000_000) } } });
    try {
      const chat = mount();
      await chat.open();
      expect(chat.part('header').querySelector('h2')?.textContent).to.have.lengthOf(255);
    } finally {
      Reflect.deleteProperty(globalThis, 'voiceAssistantChatSettings');
    }
  });

  it('works if storage cannot be read', async () => {
    const names = ['getItem', 'setItem', 'removeItem'] as const;
    const originals = names.map((name) => Object.getOwnPropertyDescriptor(Storage.prototype, name));
    for (const name of names) {
      Storage.prototype[name] = () => {
        throw new DOMException('It is blocked.', 'SecurityError');
      };
    }
    try {
      const chat = mount();
      await chat.open();
      await chat.ask('What are your opening hours?');
      await chat.answered(2);
      expect(chat.find('.divider.new')).to.equal(null);
      expect(chat.isOpen).to.be.true;
      chat.element.remove();
    } finally {
      for (const [index, name] of names.entries()) {
        Object.defineProperty(Storage.prototype, name, originals[index] as PropertyDescriptor);
      }
    }
  });

  it('keeps the conversation when `persist` changes', async () => {
    const chat = mount({ persist: 'none' });
    await chat.open();
    await chat.ask('Do you have gift cards?');
    await chat.answered(2);
    chat.write('And how long');
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
    chat.element.persist = 'local';
    await until(
      () => Object.entries(localStorage).flat().join().includes('And how long'),
      'the draft to be kept',
    );
    expect(chat.messages).to.have.length(3);
    chat.element.persist = 'none';
    await until(
      () => !Object.entries(localStorage).flat().join().includes('And how long'),
      'the draft to go',
    );
    expect(chat.messages).to.have.length(3);
    expect(chat.input.value).to.equal('And how long');
  });

  for (const [how, resumed] of [
    ['it began on this page', false],
    ['an earlier page began it', true],
  ] as const)
    it(`moves the conversation to the other storage when \`persist\` changes if ${how}`, async () => {
      const earlier = mount({ persist: 'session' });
      await earlier.open();
      await earlier.ask('What are your opening hours?');
      await earlier.answered(2);
      earlier.write('And on Sundays');
      earlier.element.remove();
      let chat = mount({ inline: '' });
      await chat.ready();
      await chat.ask('Do you have gift cards?');
      await chat.answered(2);
      if (resumed) {
        chat.element.remove();
        chat = mount({ inline: '' });
        await chat.answered(2);
      }
      const { conversationId } = chat;
      chat.element.persist = 'session';
      const stored = (storage: Storage): string =>
        Object.keys(storage)
          .filter((key) => key.includes(':conversation:'))
          .map((key) => storage.getItem(key))
          .join();
      await until(() => stored(sessionStorage).includes(conversationId), 'the record in the new storage');
      expect(stored(localStorage)).to.equal('');
      expect(stored(sessionStorage)).not.to.include('And on Sundays');
      chat.element.remove();
      const next = mount({ persist: 'session', inline: '' });
      await next.answered(2);
      expect(next.messages[1]).to.equal('user: Do you have gift cards?');
      expect(next.input.value).to.equal('');
    });

  it('resumes the stored conversation when `persist` changes before the visitor has written', async () => {
    const earlier = mount();
    await earlier.open();
    await earlier.ask('What are your opening hours?');
    await earlier.answered(2);
    earlier.write('And on Sundays');
    earlier.element.remove();
    const chat = mount({ persist: 'none' });
    await chat.open();
    await chat.answered(1);
    chat.element.persist = 'local';
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: What are your opening hours?');
    expect(chat.input.value).to.equal('And on Sundays');
  });

  it('returns the focus to the launcher however the panel closes', async () => {
    const chat = mount();
    await chat.open();
    chat.input.focus();
    chat.element.hide();
    await until(() => chat.element.shadowRoot?.activeElement === chat.launcher, 'the focus on the launcher');
    await press('Enter');
    await chat.ready();
    chat.launcher.focus();
    await press('Escape');
    await until(() => !chat.isOpen, 'Escape on the launcher to close the panel');
  });

  it('keeps the message when a new conversation begins', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('no-balance') });
    chat.element.show();
    await chat.problem(/Insufficient/);
    await chat.ask('Please call me back');
    await click(chat.part('restart-button'));
    await until(() => chat.input.value === 'Please call me back', 'the text in the composer');
  });

  it('offers to undo a restart until a message is sent in the new conversation', async () => {
    const chat = mount();
    await chat.open();
    const readyAgain = nextEvent(chat.element, 'chat-ready');
    await click(chat.part('restart-button'));
    await readyAgain;
    expect(chat.find('[part="undo"]'), 'no undo without messages').to.equal(null);
    await chat.ask('When do you open?');
    await chat.answered(2);
    const before = chat.messages;
    const isRated = (): boolean => chat.find('[part="rate-button"]')?.ariaPressed === 'true';
    chat.part('message-assistant').focus();
    await until(() => chat.find('[part="rate-button"]') !== null, 'the thumbs');
    await click(chat.part('rate-button'));
    await until(isRated, 'the rating');
    const regions = chat.findAll('[role="status"]');
    await click(chat.part('restart-button'));
    await until(() => chat.messages.length === 1, 'the new conversation');
    expect(regions.includes(chat.part('undo')), 'announced: in the page before its text').to.be.true;
    expect(chat.part('undo').innerText).to.match(/New conversation\s+Undo/);
    // The focus is in the composer, which the button precedes in the tab order.
    await until(() => chat.element.shadowRoot?.activeElement === chat.input, 'the focus in the composer');
    chat.part('undo-button').focus();
    await press('Enter');
    await until(() => chat.messages.join() === before.join(), 'the previous conversation');
    expect(chat.find('[part="undo"]')).to.equal(null);
    expect(chat.find('.divider.new') === null, 'nothing is marked as new').to.be.true;
    expect(chat.element.shadowRoot?.activeElement === chat.input).to.be.true;
    chat.part('message-assistant').focus();
    await until(isRated, 'the rating again');
    await click(chat.part('restart-button'));
    await until(() => chat.find('[part="undo"]') !== null && chat.messages.length === 1, 'a new one again');
    await chat.ask('Do you deliver?');
    await chat.answered(2);
    expect(chat.find('[part="undo"]')).to.equal(null);
  });

  it('keeps a message written offline, says so, and sends it when online', async () => {
    const chat = mount();
    await chat.open();
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      await chat.ask('Are you there?');
      await chat.problem(
        /You are offline\. Your message is saved and will be sent when you are back online\./,
      );
      expect(chat.find('li.user small.state')?.innerText).to.equal('Waiting to be sent');
      expect(chat.find('[part="retry-button"]')).to.equal(null);
      expect(chat.find('[part="edit-button"]')).not.to.equal(null);
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
    dispatchEvent(new Event('online'));
    await chat.answered(2);
    expect(chat.problems).to.deep.equal([]);
  });

  it('sends a message written offline when online, also behind one that failed before', async () => {
    const chat = mount({ 'base-url': faulty('too-many-requests') });
    await chat.open();
    await chat.ask('One');
    await chat.problem(/Too many messages/);
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      await chat.ask('Two');
      await until(() => chat.messages.includes('user: Two'), 'the second message');
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
    dispatchEvent(new Event('online'));
    await new Promise(requestAnimationFrame);
    expect(chat.problems.join(), 'not before the time that the service has specified').to.match(
      /Trying again/,
    );
    await chat.answered(3);
    expect(chat.problems).to.deep.equal([]);
  });

  it('does not count down in a chat that was removed while its message was refused', async () => {
    const chat = mount({ 'base-url': faulty('too-many-requests') });
    await chat.open();
    const original = window.fetch.bind(window);
    const { promise: isRemoved, resolve: remove } = Promise.withResolvers<undefined>();
    let wasRefused = false;
    window.fetch = async (input, init) => {
      const response = await original(input, init);
      if (response.status === 429) {
        await isRemoved;
        wasRefused = true;
      }
      return response;
    };
    const originalTimeout = window.setTimeout.bind(window);
    try {
      await chat.ask('One');
      chat.element.remove();
      const countdowns: number[] = [];
      window.setTimeout = ((handler: TimerHandler, delay = 0, ...rest: unknown[]) => {
        if (delay === 1000) countdowns.push(delay);
        return originalTimeout(handler, delay, ...rest);
      }) as typeof window.setTimeout;
      remove(undefined);
      await until(() => wasRefused, 'the refusal');
      await new Promise((resolve) => originalTimeout(resolve, 0));
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      expect(countdowns).to.deep.equal([]);
    } finally {
      window.fetch = original;
      window.setTimeout = originalTimeout;
    }
  });

  it('opens no conversation for a chat that the page has removed while offline', async () => {
    const chat = mount();
    const original = window.fetch.bind(window);
    let opened = 0;
    const { promise: isOffline, reject: fail } = Promise.withResolvers<never>();
    window.fetch = (input, init) => {
      if (init?.method !== 'POST') return original(input, init);
      opened++;
      return isOffline;
    };
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      await until(() => chat.element.shadowRoot !== null, 'the launcher');
      chat.element.show();
      await until(() => opened === 1, 'the request');
      const failed = nextEvent(chat.element, 'chat-error');
      chat.element.remove();
      fail(new TypeError('Failed to fetch'));
      await failed;
      Reflect.deleteProperty(navigator, 'onLine');
      dispatchEvent(new Event('online'));
      await new Promise(requestAnimationFrame);
      expect(opened).to.equal(1);
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
      window.fetch = original;
    }
  });

  it('returns a refused text to the composer', async () => {
    const chat = mount({ 'base-url': faulty('message-refused') });
    await chat.open();
    await chat.ask('This is longer than the strict service takes.');
    await chat.problem(/at most 20 characters/);
    expect(chat.input.value).to.equal('This is longer than the strict service takes.');
  });

  it('names the launcher after slotted text', async () => {
    const chat = mount();
    const text = document.createElement('span');
    text.slot = 'launcher';
    text.textContent = 'Ask our team';
    chat.element.append(text);
    await until(() => !chat.launcher.hasAttribute('aria-label'), 'the name to be the text');
  });

  it('changes its texts with the language, also around copied code', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    await chat.open();
    const { question } = await scriptAnswer({ chunks: ['```js\nlet a;\n```'] });
    await chat.ask(question);
    await chat.answered(1);
    await until(() => chat.find('figcaption button') !== null, 'the code');
    await click(chat.find('figcaption button') as HTMLElement);
    chat.element.lang = 'de';
    await until(() => chat.find('figcaption button')?.innerText === 'Kopieren', 'the German button');
    expect(chat.input.placeholder).to.contain('Nachricht');
  });
});
