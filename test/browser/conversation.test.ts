import { expect } from '@open-wc/testing';
import {
  conversationKey,
  faulty,
  mount,
  nextEvent,
  unmountAll,
  until,
} from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

describe('a conversation', () => {
  afterEach(unmountAll);

  it('begins with the greeting, answers a question, and is announced', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    const [greeting] = chat.messages;
    expect(greeting).to.match(/^assistant: \S/);
    await chat.ask('What are your opening hours?');
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: What are your opening hours?');
    expect(chat.messages[2]).to.match(/^assistant: .*18:30/s);
    await until(() => chat.announcement.includes('18:30'), 'the announcement');
  });

  it('shows the site’s greeting or a hint if the assistant has none', async () => {
    const assistant = { 'assistant-id': service.assistantThatShows('no-greeting') };
    const chat = mount({ ...assistant, greeting: 'Ask us about your order.' });
    await chat.open();
    expect(chat.part('message-log').innerText).to.contain('Ask us about your order.');
    expect(chat.messages).to.deep.equal([]);
    chat.element.greeting = null;
    await until(() => chat.part('message-log').innerText.includes('Ask your first question.'), 'the hint');
  });

  it('opens one conversation, however often the panel opens', async () => {
    const chat = mount();
    let sessions = 0;
    chat.element.addEventListener('chat-ready', () => sessions++);
    await chat.open();
    chat.element.hide();
    chat.element.show();
    await chat.ready();
    expect(sessions).to.equal(1);
  });

  it('opens at once when it is inline or open from the start, without taking the focus', async () => {
    const { activeElement } = document;
    const inline = mount({ inline: '' });
    await inline.ready();
    const open = mount({ open: '' });
    await open.ready();
    expect(document.activeElement).to.equal(activeElement);
    expect(scrollY).to.equal(0);
  });

  it('fills variables into the greeting', async () => {
    const chat = mount({
      'assistant-id': service.assistantThatShows('greeting'),
      variables: '{"first_name":"Ada"}',
    });
    await chat.open();
    await chat.answered(1);
    expect(chat.messages[0]).to.contain('Ada');
  });

  it('resumes after a reload, with the draft', async () => {
    const first = mount();
    await first.open();
    await first.ask('Do you repair zips?');
    await first.answered(2);
    await until(() => first.find('.markdown') !== null, 'the answer to be rendered as Markdown');
    first.write('And what about');
    const { messages } = first;
    first.element.remove();

    const second = mount();
    const ready = nextEvent<{ resumed: boolean }>(second.element, 'chat-ready');
    await second.open();
    expect((await ready).resumed).to.be.true;
    await second.answered(2);
    await until(() => second.find('.markdown') !== null, 'the answer to be rendered again');
    expect(second.messages).to.deep.equal(messages);
    expect(second.input.value).to.equal('And what about');
  });

  it('stores nothing with persist="none", and in the tab only with persist="session"', async () => {
    const none = mount({ persist: 'none' });
    await none.open();
    none.write('A secret');
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
    const session = mount({ persist: 'session' });
    await session.open();
    expect(localStorage).to.have.length(0);
    expect(Object.entries(sessionStorage).flat().join()).to.contain('conversationId');
  });

  it('restarts on request', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('Hello');
    await chat.answered(2);
    const ready = nextEvent<{ conversationId: string }>(chat.element, 'chat-ready');
    await click(chat.part('restart-button'));
    await ready;
    await until(() => chat.messages.length === 1, 'the new conversation');
    expect(chat.messages[0]).to.match(/^assistant/);
  });

  it('forgets everything on request', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('My name is Ada');
    await chat.answered(2);
    chat.write('draft');
    const key = conversationKey();
    chat.element.forget();
    await until(() => !chat.isOpen, 'the panel to close');
    await until(() => localStorage.getItem(key) === null, 'the conversation to be deleted from storage');
    await chat.open();
    await chat.answered(1);
    expect(chat.messages).to.have.length(1);
    expect(chat.input.value).to.equal('');
  });

  it('sends messages of the page without showing the panel', async () => {
    const chat = mount();
    const sent = nextEvent<{ text: string }>(chat.element, 'chat-sent');
    const answer = nextEvent<{ text: string; latency: number }>(chat.element, 'chat-message');
    chat.element.send('Which sizes do you have?');
    expect((await sent).text).to.equal('Which sizes do you have?');
    expect((await answer).latency).to.be.above(0);
    expect(chat.isOpen).to.be.false;
    await chat.open();
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: Which sizes do you have?');
  });

  it('keeps the text of a message that the page cancels', async () => {
    const chat = mount();
    chat.element.addEventListener('chat-send', (event) => {
      event.preventDefault();
    });
    await chat.open();
    chat.write('My card number is 4111');
    chat.input.form?.requestSubmit();
    expect(chat.input.value).to.equal('My card number is 4111');
    expect(chat.messages.filter((text) => text.startsWith('user'))).to.deep.equal([]);
  });

  it('sends several messages in order, each answered', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    for (const text of ['One: delivery?', 'Two: returns?', 'Three: repairs?']) await chat.ask(text);
    await chat.answered(4);
    const authors = chat.messages.map((text) => text.split(':')[0]);
    expect(authors).to.deep.equal([
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(chat.messages.filter((text) => text.startsWith('user'))).to.deep.equal([
      'user: One: delivery?',
      'user: Two: returns?',
      'user: Three: repairs?',
    ]);
  });

  it('works with a service without streaming, idempotency keys and settings', async () => {
    const chat = mount({ 'base-url': faulty('json-only') });
    await chat.open();
    await chat.ask('Hello');
    await until(() => chat.messages.some((text) => text.includes('in one piece')), 'the answer');
  });

  it('shows text as text, never as markup', async () => {
    const chat = mount();
    await chat.open();
    const attack = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</' + 'script>';
    chat.element.send(attack);
    await until(() => chat.messages.includes(`user: ${attack}`), 'the message');
    await chat.answered(2);
    expect(chat.find('[part="message-log"] img, [part="message-log"] script')).to.equal(null);
    expect('attacked' in window).to.be.false;
  });

  it('survives being moved in the document during a reply', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('What does delivery cost?');
    const aside = document.createElement('aside');
    document.body.append(aside);
    aside.append(chat.element);
    await chat.answered(2);
    expect(chat.isOpen).to.be.true;
    document.body.append(chat.element);
    aside.remove();
    await chat.ask('And returns?');
    await chat.answered(3);
    expect(chat.messages).to.have.length(5);
  });

  it('survives being removed while it opens, and being inserted again', async () => {
    const chat = mount();
    chat.element.show();
    chat.element.remove();
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
    document.body.append(chat.element);
    await chat.ready();
    await chat.answered(1);
    await chat.ask('Hello');
    await chat.answered(2);
  });

  it('switches to another assistant when the attribute changes', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    const [before] = chat.messages;
    chat.element.assistantId = service.assistantThatShows('german');
    await until(() => chat.messages.length === 1 && chat.messages[0] !== before, 'the other greeting');
  });

  it('keeps the conversations of several widgets on a page separate', async () => {
    const one = mount();
    const two = mount({ 'assistant-id': service.assistantThatShows('no-greeting'), position: 'left-bottom' });
    await one.open();
    await two.open();
    await two.ask('Hello');
    await two.answered(1);
    expect(one.messages).to.have.length(1);
    expect(two.messages).to.have.length(2);
  });
});
