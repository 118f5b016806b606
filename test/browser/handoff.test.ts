import { expect } from '@open-wc/testing';
import { faulty, mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press } from '../support/browser/page.ts';
import { handBack, takeOverAndWrite } from '../support/browser/take-over-and-write.ts';
import { requestAsOwner } from '../support/browser/request-as-owner.ts';
import { service } from '../support/browser/service-under-test.ts';
import { assistantBody } from '../support/records/assistant-body.ts';

function notice(chat: Chat): string {
  return chat.find('[part="person"]')?.innerText ?? '';
}

describe('a human handoff', () => {
  afterEach(unmountAll);

  it('is shown above the composer until the assistant answers again', async () => {
    const chat = mount({ 'base-url': faulty('taken-over') });
    await chat.open();
    expect(notice(chat)).to.equal('');
    await chat.ask('Is anybody there?');
    await until(() => notice(chat) !== '', 'the notice');
    expect(notice(chat)).to.equal('A person will answer here.');
    expect(chat.part('person').role).to.equal('status');
    await until(() => chat.messages.some((text) => text.includes('I answer in person.')), 'the answer');
    chat.element.restart();
    await until(() => notice(chat) === '', 'the notice to disappear');
  });
});

it('by the assistant is said once until the person writes', async () => {
  const tools = [{ type: 'call_transfer', description: 'To a person.', phone_number: '+4930123456' }];
  const created = await requestAsOwner('assistant', assistantBody({ tools }));
  const chat = mount({ 'assistant-id': (created['data'] as { uuid: string }).uuid });
  const conversation = await openConversation(chat);
  await chat.ask('Please do a call transfer');
  const last = (): string => chat.messages.at(-1) ?? '';
  await until(
    () => last() === 'system: A person will answer here.',
    () => `the handoff after "${last()}"`,
  );
  expect(chat.find('[part="person"]') === null).to.be.true;
  const status = chat.findAll('[role="status"]').find((element) => element.textContent.includes('person'));
  expect(status?.textContent.trim()).to.equal('A person will answer here.');
  await takeOverAndWrite(conversation, 'Hanna here. May I help?');
  await until(() => notice(chat) === 'A person will answer here.', 'the notice');
  await unmountAll();
});

/** Opens the chat, and returns the conversation's ID. */
async function openConversation(chat: Chat): Promise<string> {
  const ready = nextEvent<{ conversationId: string }>(chat.element, 'chat-ready');
  await chat.open();
  return (await ready).conversationId;
}

/** The announced lines after each change from now on, as a screen reader finds them. */
function announcementsFromNow(chat: Chat): readonly string[] {
  const lines: string[] = [];
  const status = chat.find('.root > [role="status"]') as Element;
  new MutationObserver(() => {
    lines.push([...status.children].map(({ textContent }) => textContent).join(' | '));
  }).observe(status, { childList: true });
  return lines;
}

const pathOf = (input: RequestInfo | URL): string =>
  new URL(input instanceof Request ? input.url : input, location.href).pathname;

/** The requests of the page from now on, such as `GET events` or `POST messages`. */
function requestsFromNow(): { readonly made: string[]; stop: () => void } {
  const made: string[] = [];
  const original = window.fetch.bind(window);
  window.fetch = (input, init) => {
    const pathname = pathOf(input);
    if (pathname.includes('/api/'))
      made.push(`${init?.method ?? 'GET'} ${pathname.split('/').at(-1) ?? ''}`.replace(/[\da-f-]{36}/, 'id'));
    return original(input, init);
  };
  return {
    made,
    stop: () => {
      window.fetch = original;
    },
  };
}

describe('the first message of a person, before the visitor has written,', () => {
  let requests: ReturnType<typeof requestsFromNow>;
  beforeEach(() => {
    requests = requestsFromNow();
  });
  afterEach(async () => {
    requests.stop();
    await unmountAll();
  });

  it('appears in an open chat', async () => {
    const chat = mount();
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    await takeOverAndWrite(conversation, 'Hanna here. May I help?');
    await until(() => chat.messages.includes('assistant: Hanna here. May I help?'), 'the message');
    await until(() => notice(chat) === 'A person will answer here.', 'the notice');
    expect(requests.made.filter((request) => request.startsWith('POST'))).to.deep.equal([
      'POST conversations',
    ]);
  });

  it('appears in an open chat whose page has set another assistant', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('no-greeting') });
    await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    requests.made.length = 0;
    const ready = nextEvent<{ conversationId: string }>(chat.element, 'chat-ready');
    chat.element.assistantId = service.assistantThatShows('greeting');
    const { conversationId } = await ready;
    await until(() => requests.made.includes('GET events'), 'the event stream of the other conversation');
    await takeOverAndWrite(conversationId, 'Hanna here. May I help?');
    await until(() => chat.messages.includes('assistant: Hanna here. May I help?'), 'the message');
    expect(chat.find('[part="badge"]')).to.equal(null);
    expect(chat.find('.divider.new')).to.equal(null);
  });

  it('and the next one are both announced to screen readers if they arrive together', async () => {
    const chat = mount();
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    await until(() => chat.announcement !== '', 'the announcement of the greeting');
    const lines = announcementsFromNow(chat);
    const { promise, resolve: read } = Promise.withResolvers<undefined>();
    const counting = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      if (pathOf(input).endsWith(conversation)) await promise;
      return counting(input, init);
    };
    await takeOverAndWrite(conversation, 'Hanna here.');
    await takeOverAndWrite(conversation, 'May I help?');
    read(undefined);
    await until(() => chat.messages.includes('assistant: May I help?'), 'the messages');
    await until(() => lines.length > 0, 'the announcement');
    expect(lines).to.deep.equal(['Hanna here. | May I help?']);
  });

  it('is introduced in the language of the chat, and so is the return of the assistant', async () => {
    const chat = mount({ lang: 'de' });
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    await takeOverAndWrite(conversation, 'Hanna hier.');
    await handBack(conversation);
    await until(() => chat.messages.length === 4, 'the messages');
    expect(chat.messages.slice(1)).to.deep.equal([
      'system: Ein Mensch ist dem Chat beigetreten.',
      'assistant: Hanna hier.',
      'system: Der Assistent ist zurück.',
    ]);
    chat.element.messages = { personLeft: 'Der digitale Helfer übernimmt.' };
    await until(() => chat.messages.at(-1) === 'system: Der digitale Helfer übernimmt.', 'the own text');
  });

  it('and the return of the assistant are announced once each to screen readers', async () => {
    const chat = mount();
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    const statuses = (): string[] =>
      chat
        .findAll('[role="status"], [role="alert"]')
        .map(({ textContent }) => textContent.trim())
        .filter((text) => /person|back/.test(text));
    await takeOverAndWrite(conversation, 'Hanna here.');
    await until(() => statuses().join() === 'A person will answer here.', 'the person');
    const status = chat.part('person');
    await handBack(conversation);
    await until(() => statuses().join() === 'The assistant is back.', 'the assistant');
    // Screen readers announce changes of an element that was there before.
    expect(status.isConnected && status.textContent.trim() === 'The assistant is back.').to.be.true;
    expect(chat.find('[part="person"]') === null).to.be.true;
    await chat.ask('What are your opening hours?');
    await until(() => statuses().length === 0, 'the announcement to be removed');
  });

  it('shows their name, once for consecutive messages', async () => {
    const chat = mount();
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    await until(() => chat.announcement !== '', 'the announcement of the greeting');
    const lines = announcementsFromNow(chat);
    for (const [message, author] of [
      ['Hanna here.', 'Hanna Weiß'],
      ['May I help?', 'Hanna Weiß'],
      ['I take over from Hanna.', 'ليلى'],
    ] as const)
      await takeOverAndWrite(conversation, message, author);
    await until(() => chat.messages.includes('assistant: I take over from Hanna.'), 'the messages');
    const articles = chat.findAll('li.assistant article').slice(-3);
    const names = articles.map((article) => article.querySelector<HTMLElement>('[part="message-author"]'));
    expect(names.map((name) => name?.textContent)).to.deep.equal(['Hanna Weiß', 'Hanna Weiß', 'ليلى']);
    const isSeen = (): boolean[] =>
      names.map((name) => name !== null && getComputedStyle(name).clipPath === 'none');
    await until(() => isSeen().join() === 'true,false,true', `the names of two; seen: ${isSeen().join()}`);
    for (const [index, name] of ['Hanna Weiß', 'Hanna Weiß', 'ليلى'].entries())
      expect(articles[index]?.ariaLabel).to.match(new RegExp(`^${name}(, |$)`));
    // Messages that arrive together are announced together.
    await until(() => !!lines.at(-1)?.endsWith('ليلى: I take over from Hanna.'), 'the last announcement');
    expect(lines.join(' | ')).to.contain('Hanna Weiß: Hanna here.').and.to.contain('Hanna Weiß: May I help?');
    // The assistant keeps the name in the header.
    const greeting = chat.find('li.assistant article');
    expect(greeting?.querySelector('[part="message-author"]')).to.equal(null);
  });

  it('appears as a badge on a closed chat', async () => {
    const chat = mount();
    const conversation = await openConversation(chat);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    chat.element.hide();
    await until(() => !chat.isOpen, 'the panel to close');
    await takeOverAndWrite(conversation, 'Hanna here. May I help?');
    await until(() => chat.find('[part="badge"]')?.textContent === '2', 'the badge: joined, and a message');
    // The handoff opens a second stream, which replaces the first.
    expect(requests.made.filter((request) => request === 'GET events')).to.have.length.at.most(2);
  });

  it('appears as a badge on the next page, on which the visitor has not opened the chat', async () => {
    const before = mount();
    const conversation = await openConversation(before);
    await until(() => requests.made.includes('GET events'), 'the event stream');
    before.element.hide();
    await until(() => !before.isOpen, 'the panel to close');
    before.element.remove();
    const streams = (): number => requests.made.filter((request) => request === 'GET events').length;
    const streamsBefore = streams();
    const chat = mount();
    await until(() => streams() > streamsBefore, 'the stream of the next page');
    await takeOverAndWrite(conversation, 'Hanna here. May I help?');
    await until(() => chat.find('[part="badge"]')?.textContent === '2', 'the badge: joined, and a message');
  });

  it('costs no request of the conversation before there is one', async () => {
    const chat = mount();
    await until(() => requests.made.includes('GET widget'), 'the settings');
    // Safari has no idle callbacks.
    const whenIdle = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined;
    await new Promise((resolve) => (whenIdle ?? setTimeout)(resolve));
    expect(chat.find('[part="panel"]')).to.equal(null);
    expect(requests.made.filter((request) => request !== 'GET widget')).to.deep.equal([]);
  });
});

describe('a conversation that has ended', () => {
  afterEach(unmountAll);

  it('by the assistant shows that below the last answer', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('settings') });
    await chat.open();
    await chat.ask('Goodbye!');
    await chat.answered(2);
    await chat.problem(/This conversation has ended\. Start a new conversation/);
    expect(chat.messages[1]).to.equal('user: Goodbye!');
    expect(chat.findAll('small.state')).to.deep.equal([]);
    await click(chat.part('retry-button'));
    await until(() => chat.problems.length === 0 && chat.messages.length === 1, 'a new conversation');
  });

  it('is shown as ended after a reload, with the offer of a new one', async () => {
    const first = mount({ 'base-url': faulty('ended') });
    await first.open();
    await first.ask('One question');
    await first.answered(2);
    first.element.remove();
    const chat = mount({ 'base-url': faulty('ended') });
    await chat.open();
    await chat.problem(/This conversation has ended\. Start a new conversation/);
    expect(chat.messages).to.have.length(3);
    await click(chat.part('retry-button'));
    await until(() => chat.problems.length === 0 && chat.messages.length === 1, 'a new conversation');
  });

  it('passes the visitor’s text to the new one', async () => {
    const chat = mount({ 'base-url': faulty('ended') });
    await chat.open();
    await chat.ask('One question');
    await chat.answered(2);
    await chat.ask('Another question');
    await chat.problem(/has ended/);
    await click(chat.part('retry-button'));
    await until(() => chat.messages[1] === 'user: Another question', 'the question in the new one');
    await chat.answered(2);
  });

  it('accepts messages meanwhile, and passes all of them to the new one, in order', async () => {
    const chat = mount({ 'base-url': faulty('ended') });
    await chat.open();
    await chat.ask('One question');
    await chat.answered(2);
    await chat.ask('A second question');
    await chat.problem(/has ended/);
    await chat.ask('A third question');
    const waiting = (): string[] => chat.findAll('small.state').map(({ innerText }) => innerText);
    await until(() => waiting().join() === 'Waiting to be sent,Waiting to be sent', 'both to wait');
    expect(chat.problems).to.have.length(1);
    // The offer comes just before the composer.
    chat.input.focus();
    await press('Shift+Tab');
    expect(chat.element.shadowRoot?.activeElement === chat.part('retry-button')).to.be.true;
    await press('Enter');
    await until(() => chat.messages[1] === 'user: A second question', 'the question in the new one');
    expect(chat.element.shadowRoot?.activeElement === chat.input).to.be.true;
    const asked = (): string[] => chat.messages.filter((text) => text.startsWith('user:'));
    await until(() => asked().length === 2, 'both questions');
    expect(asked()).to.deep.equal(['user: A second question', 'user: A third question']);
    await chat.answered(2);
  });
});
