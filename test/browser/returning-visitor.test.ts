import { expect } from '@open-wc/testing';
import {
  conversationKey,
  faulty,
  mount,
  unmountAll,
  until,
  type Chat,
} from '../support/chat/chat-fixture.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { click, setViewport, supports } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

const question = 'What are your opening hours?';
const entry = (part: string): string | undefined =>
  Object.keys(localStorage).find((key) => key.includes(part));

describe('a returning visitor', () => {
  afterEach(unmountAll);

  it('finds the conversation under the same `user-key` only', async () => {
    const chat = mount({ 'user-key': 'one' });
    await chat.open();
    await chat.ask(question);
    await chat.answered(2);
    chat.element.userKey = 'two';
    await until(() => chat.messages.length === 1, 'the conversation of the other user');
    chat.element.remove();

    const again = mount({ 'user-key': 'one' });
    await again.open();
    await again.answered(2);
    expect(again.messages).to.contain(`user: ${question}`);
  });

  for (const [method, call] of [
    [
      'send',
      ({ element }: Chat) => {
        element.send(question);
      },
    ],
    [
      'restart',
      ({ element }: Chat) => {
        element.restart();
      },
    ],
    [
      'forget',
      ({ element }: Chat) => {
        element.forget();
      },
    ],
  ] as const)
    it(`keeps the conversation when another user is set right before ${method}()`, async () => {
      const chat = mount({ 'user-key': 'one' });
      await chat.open();
      await chat.ask('Do you deliver?');
      await chat.answered(2);
      const before = chat.messages;
      chat.element.userKey = 'two';
      call(chat);
      await until(() => !chat.messages.includes('user: Do you deliver?'), 'the other conversation');
      await until(() => method !== 'send' || chat.messages.length === 3, 'the answer');
      chat.element.userKey = 'one';
      chat.element.show();
      await until(() => chat.isOpen && chat.messages.includes(before[1] ?? ''), 'the first conversation');
      expect(chat.messages).to.deep.equal(before);
    });

  it('finds the chat open, if it was open on the page before, and the focus where it was', async () => {
    const before = mount();
    await before.open();
    await before.ask(question);
    await before.answered(2);
    before.element.remove();
    const field = document.createElement('input');
    document.body.append(field);
    field.focus();
    const again = mount();
    await until(() => again.isOpen && again.messages.length === 3, 'the open chat');
    expect(document.activeElement === field).to.be.true;
    field.remove();
    await click(again.part('close-button'));
    await until(() => !again.isOpen, 'the panel to close');
    again.element.remove();
    const last = mount();
    await until(() => last.find('[part="panel"][data-prepared]') !== null, 'the panel to load');
    expect(last.isOpen).to.be.false;
  });

  it('finds the chat closed where it would cover the page', async function () {
    if (!supports.phoneViewport) this.skip();
    const before = mount();
    await before.open();
    await before.answered(1);
    before.element.remove();
    await setViewport(400, 700);
    const again = mount();
    await until(() => again.find('[part="panel"][data-prepared]') !== null, 'the panel to load');
    expect(again.isOpen).to.be.false;
  });

  it('sees that the conversation has ended, and the message is sent to a new one', async () => {
    const chat = mount({ 'base-url': faulty('ended') });
    await chat.open();
    const before = chat.messages.length;
    await chat.ask('One');
    await until(() => chat.messages.length === before + 2, 'the answer');
    await chat.ask('Two');
    await until(() => chat.find('[part="retry-button"]') !== null, 'the offer of a new one');
    await click(chat.part('retry-button'));
    await until(() => chat.messages.some((text) => /^assistant: .*Two/s.test(text)), 'the answer');
    expect(chat.messages).not.to.contain('user: One');
    expect(chat.messages.filter((text) => text === 'user: Two')).to.have.length(1);
  });
});

describe('after a page was closed', () => {
  const pages: OtherPage[] = [];
  const open = async (prepare?: (page: Window) => void): Promise<OtherPage> => {
    const page = await openPage(prepare);
    pages.push(page);
    page.chat.element.show();
    await page.chat.ready();
    return page;
  };
  afterEach(async () => {
    for (const page of pages.splice(0)) page.close();
    await unmountAll();
  });

  /** Replaces the responses to requests with one method; all requests are sent. */
  const replaceResponses = (
    page: Window,
    method: string,
    answer: (real: () => Promise<Response>) => Promise<Response>,
  ) => {
    const real = page.fetch.bind(page);
    page.fetch = (input, init) =>
      init?.method === method ? answer(() => real(input, init)) : real(input, init);
  };

  for (const { days, keepDays, isResumed } of [
    { days: 8, keepDays: '7', isResumed: false },
    { days: 8, keepDays: '9', isResumed: true },
    { days: 31, keepDays: null, isResumed: false },
    { days: 29, keepDays: 'a month', isResumed: true },
  ])
    it(`${isResumed ? 'finds' : 'does not find'} a conversation ${days} days old with keep-days ${keepDays}`, async () => {
      const leaving = await open();
      await leaving.chat.ask(question);
      await leaving.chat.answered(2);
      leaving.close();
      const key = conversationKey();
      const kept = JSON.parse(localStorage.getItem(key) ?? '') as { keptAt: number };
      localStorage.setItem(key, JSON.stringify({ ...kept, keptAt: kept.keptAt - days * 24 * 3_600_000 }));

      const next = mount(keepDays === null ? {} : { 'keep-days': keepDays });
      next.element.show();
      await next.ready();
      await next.answered(isResumed ? 2 : 1);
      expect(next.messages.includes(`user: ${question}`)).to.equal(isResumed);
    });

  it('the next page finds the answer that was streaming, and sends nothing twice', async () => {
    const leaving = await open();
    await leaving.chat.answered(1);
    let isDelivered = false;
    replaceResponses(leaving.window, 'POST', async (send) => {
      await (await send()).text();
      isDelivered = true;
      return new Promise(() => undefined);
    });
    await leaving.chat.ask(question);
    await until(() => isDelivered, 'the message to arrive');
    leaving.close();

    const { chat } = await open();
    await chat.answered(2);
    expect(chat.messages.filter((text) => text.startsWith('user:'))).to.deep.equal([`user: ${question}`]);
    expect(chat.messages.at(-1)).to.contain('18:30');
  });

  it('the next page requests the deletion that failed', async () => {
    const leaving = await open();
    replaceResponses(leaving.window, 'DELETE', () => Promise.reject(new TypeError('No network')));
    const key = conversationKey();
    const { conversationId: id = '' } = JSON.parse(localStorage.getItem(key) ?? '') as Record<string, string>;
    leaving.chat.element.forget();
    await until(() => entry(':forget:') !== undefined, 'the stored deletion request');
    expect(localStorage.getItem(entry(':forget:') ?? '')).to.equal(id);
    expect(localStorage.getItem(key)).to.equal(null);
    leaving.close();

    await open();
    await until(() => entry(':forget:') === undefined, 'the deletion request to be completed');
    expect((await fetch(`${service.url}/api/conversations/${id}`)).status).to.equal(404);
  });

  for (const persist of ['session', 'none'] as const)
    it(`stores the deletion that failed as persist="${persist}" says, if \`persist\` was changed`, async () => {
      const { chat, window, close } = await open();
      let requests = 0;
      replaceResponses(window, 'DELETE', () => {
        requests++;
        return Promise.reject(new TypeError('No network'));
      });
      const { conversationId: id } = chat;
      chat.element.persist = persist;
      await until(() => entry(':conversation:') === undefined, 'the storage to be empty');
      chat.element.forget();
      await until(() => requests > 0, 'the deletion request');
      await until(() => chat.messages.length === 0, 'the conversation to disappear');
      const isStored = (storage: Storage): boolean => Object.values(storage).includes(id);
      expect([isStored(localStorage), isStored(sessionStorage)]).to.deep.equal([
        false,
        persist === 'session',
      ]);
      close();
    });

  for (const persist of ['local', 'session'] as const)
    it(`requests the deletion that failed when the browser is online again, if \`persist\` is "${persist}" then`, async () => {
      const { chat, window, close } = await open();
      let requests = 0;
      replaceResponses(window, 'DELETE', (send) =>
        requests++ === 0 ? Promise.reject(new TypeError('No network')) : send(),
      );
      const { conversationId: id } = chat;
      chat.element.forget();
      await until(() => requests === 1, 'the deletion request');
      chat.element.persist = persist;
      await until(() => {
        window.dispatchEvent(new Event('online'));
        return entry(':forget:') === undefined;
      }, 'the deletion request to be completed');
      expect((await fetch(`${service.url}/api/conversations/${id}`)).status).to.equal(404);
      expect(requests).to.equal(2);
      close();
    });
});
