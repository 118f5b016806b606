import { expect } from '@open-wc/testing';
import { ChatElement, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

const key = 'voice-assistant-chat:consent';

/** Mounts a chat with the site's question in the consent slot. */
function mountAsking(attributes: Readonly<Record<string, string>> = {}): Chat {
  const parent = document.createElement('div');
  const content = document.createElement('div');
  content.slot = 'consent';
  const text = document.createElement('p');
  text.textContent = 'May we keep this conversation?';
  const button = document.createElement('button');
  button.textContent = 'I agree';
  button.dataset['consent'] = '';
  content.append(text, button);
  parent.append(content);
  document.body.append(parent);
  parents.add(parent);
  const chat = mount(attributes, document.createDocumentFragment());
  chat.element.append(content);
  parent.append(chat.element);
  return chat;
}

const parents = new Set<Element>();

function asking(chat: Chat): HTMLElement | null {
  const content = chat.element.querySelector<HTMLElement>('[slot="consent"]');
  return content?.checkVisibility() ? content : null;
}

async function openAsking(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  const chat = mountAsking(attributes);
  await until(() => chat.element.shadowRoot !== null, 'the launcher');
  await click(chat.launcher);
  await until(() => asking(chat) !== null, 'the question');
  return chat;
}

function agree(chat: Chat): Promise<void> {
  return click(chat.element.querySelector('[data-consent]') as Element);
}

function stored(): string[] {
  return [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter(
    // A deletion that an earlier test requested may be stored again.
    (name) => name.startsWith('voice-assistant-chat') && !name.startsWith('voice-assistant-chat:forget:'),
  );
}

let startedAt = 0;

/** The requests of this test that open a conversation, without those of earlier tests. */
function openings(): string[] {
  return performance
    .getEntriesByType('resource')
    .filter(({ startTime }) => startTime >= startedAt)
    .map(({ name }) => name)
    .filter((name) => name === `${service.url}/api/conversations`);
}

describe('the consent slot', () => {
  beforeEach(() => {
    performance.clearResourceTimings();
    startedAt = performance.now();
  });
  afterEach(async () => {
    await unmountAll();
    for (const parent of parents) parent.remove();
    parents.clear();
  });

  it('replaces the chat, and nothing is stored or sent before the visitor agrees', async () => {
    const chat = await openAsking();
    for (const part of ['composer', 'message-log', 'restart-button', 'menu-button'])
      expect(chat.part(part).checkVisibility(), part).to.be.false;
    // The question is next in the tab order, and has the panel's style.
    await until(
      () => chat.element.shadowRoot?.activeElement?.part.value === 'gate',
      'the focus on the question',
    );
    const button = chat.element.querySelector('[data-consent]') as HTMLElement;
    // Also on pages that reset the style of all buttons.
    const reset = document.createElement('style');
    reset.textContent = 'button { margin: 0; color: inherit }';
    button.slot = 'consent';
    chat.element.append(reset, button);
    expect(button.getBoundingClientRect().top).to.be.at.least(
      (asking(chat) as HTMLElement).getBoundingClientRect().bottom + 8,
    );
    const { backgroundColor, color } = getComputedStyle(chat.part('header'));
    expect(getComputedStyle(button).backgroundColor).to.equal(backgroundColor);
    expect(getComputedStyle(button).color).to.equal(color);
    chat.element.send('Is anybody there?');
    await until(() => chat.input.value === 'Is anybody there?', 'the draft');
    // By now, a request for settings would be recorded.
    await until(
      () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/widget')),
      'the look',
    );
    expect(stored()).to.deep.equal([]);
    expect(openings()).to.deep.equal([]);
  });

  it('disappears when the visitor agrees, and the conversation opens with the draft', async () => {
    const chat = await openAsking();
    chat.element.send('Is anybody there?');
    await agree(chat);
    await chat.answered(1);
    expect(asking(chat)).to.be.null;
    expect(chat.input.value).to.equal('Is anybody there?');
    expect(chat.element.shadowRoot?.activeElement === chat.input).to.be.true;
    expect(localStorage.getItem(key)).to.equal('given');
    await until(
      () => stored().some((name) => name.includes(':conversation:')),
      'the conversation to be kept',
    );
  });

  it('keeps every text that the page sends meanwhile', async () => {
    const chat = await openAsking();
    for (const text of ['Is anybody there?', 'I have a question.', 'I have a question.'])
      chat.element.send(text);
    await agree(chat);
    await chat.answered(1);
    expect(chat.input.value).to.equal('Is anybody there?\n\nI have a question.');
  });

  it('does not ask again after a reload, and the conversation resumes', async () => {
    const first = await openAsking();
    await agree(first);
    await first.answered(1);
    await first.ask('When do you open?');
    await first.answered(2);
    first.element.remove();
    const second = mountAsking();
    await second.open();
    await second.answered(2);
    expect(asking(second)).to.be.null;
    expect(second.messages).to.have.length(3);
  });

  it('was given before, so the next page sends what was written offline, also while the chat is closed', async () => {
    const first = await openAsking();
    await agree(first);
    await first.answered(1);
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      await first.ask('When do you open?');
      await first.problem(/You are offline/);
      first.element.hide();
      await until(() => !first.isOpen, 'the panel to close');
      first.element.remove();
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
    const second = mountAsking();
    await until(() => second.find('[part="badge"]')?.textContent === '1', 'the unread answer');
    expect(second.isOpen).to.be.false;
  });

  it('applies to this page only with persist="none"', async () => {
    const chat = await openAsking({ persist: 'none' });
    await agree(chat);
    await chat.answered(1);
    expect(stored()).to.deep.equal([]);
  });

  it('asks again after `forget()`', async () => {
    const chat = await openAsking();
    await agree(chat);
    await chat.answered(1);
    chat.element.forget();
    await until(() => !chat.isOpen, 'the panel to close');
    await until(() => stored().length === 0, 'the storage to be empty');
    await click(chat.launcher);
    await until(() => asking(chat) !== null, 'the question');
  });

  it('still requests the deletion at the next visit if it failed after `forget()`', async () => {
    const chat = await openAsking();
    await agree(chat);
    await chat.answered(1);
    const { conversationId } = chat;
    const deletions = (): string => localStorage.getItem(`voice-assistant-chat:forget:${service.url}`) ?? '';
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) =>
      init?.method === 'DELETE' ? Promise.reject(new TypeError('offline')) : fetch(input, init);
    try {
      chat.element.forget();
      await until(() => stored().length === 0, 'the storage to be empty');
      expect(deletions()).to.include(conversationId);
      chat.element.remove();
    } finally {
      globalThis.fetch = fetch;
    }
    await openAsking();
    await until(() => !deletions().includes(conversationId), 'the deletion');
  });

  it('comes before the form', async () => {
    const chat = await openAsking();
    chat.element.form = [{ name: 'first_name', label: 'First name' }];
    expect(chat.find('[part="form"]')).to.be.null;
    await agree(chat);
    await until(() => chat.find('[part="form"]') !== null, 'the form');
    expect(asking(chat)).to.be.null;
    expect(openings()).to.deep.equal([]);
  });

  it('is shown if the site adds it to an open chat, and the conversation continues when the visitor agrees', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('When do you open?');
    await chat.answered(2);
    const button = document.createElement('button');
    Object.assign(button, { slot: 'consent', textContent: 'I agree' }).dataset['consent'] = '';
    chat.element.append(button);
    // Content of slots is noticed with the next change of the element.
    chat.element.subheading = 'By the sea';
    await until(() => button.checkVisibility(), 'the question');
    expect(chat.input.checkVisibility()).to.be.false;
    await click(button);
    await until(() => chat.input.checkVisibility(), 'the chat');
    expect(chat.messages).to.have.length(3);
    await chat.ask('And on Sunday?');
    await chat.answered(3);
  });

  it('starts the chat when the site removes the question', async () => {
    const chat = await openAsking();
    chat.element.querySelector('[slot="consent"]')?.remove();
    await chat.answered(1);
  });

  it('resumes an earlier conversation when the site removes the question', async () => {
    const before = mount();
    await before.open();
    await before.ask('Hello');
    await before.answered(2);
    before.element.remove();
    const chat = await openAsking();
    chat.element.querySelector('[slot="consent"]')?.remove();
    await until(() => chat.messages.includes('user: Hello'), 'the earlier message');
    expect(chat.messages).to.have.length(3);
  });

  it('also asks in an inline chat', async () => {
    const chat = mountAsking({ inline: '' });
    await until(() => asking(chat) !== null, 'the question');
    expect(openings()).to.deep.equal([]);
    expect(stored()).to.deep.equal([]);
    await agree(chat);
    await chat.answered(1);
    expect(chat.element).to.be.instanceOf(ChatElement);
  });
});
