import { expect } from '@open-wc/testing';
import type { ChatEventMap } from '../../src/widget/events.ts';
import type { VoiceAssistantChat } from '../../src/widget/voice-assistant-chat.ts';
import { ago, cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press, supports, tap } from '../support/browser/page.ts';
import { readClipboard } from '../support/browser/clipboard.ts';
import { settled } from '../support/chat/page-layout.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

async function openChat(): Promise<Chat> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('no-greeting'),
    lang: 'en',
  });
  await chat.open();
  return chat;
}

/** Opens a chat with one answer whose tools are shown by keyboard. */
async function answered(markdown: string): Promise<Chat> {
  const chat = await openChat();
  const { question } = await scriptAnswer({ chunks: [markdown] });
  await chat.ask(question);
  await showTools(chat);
  return chat;
}

/** Shows the tools of the last message of a chat with one answer. */
async function showTools(chat: Chat): Promise<void> {
  await chat.answered(1);
  const log = chat.part('message-log');
  log.focus();
  // The module for arrow keys may be still loading.
  await until(() => {
    const end = { key: 'End', bubbles: true, cancelable: true };
    if (chat.find('article:focus') === null) log.dispatchEvent(new KeyboardEvent('keydown', end));
    return chat.find('.assistant > [part="message-tools"]') !== null;
  }, 'the tools');
}

/** The states of the two thumbs. */
function pressed(chat: Chat): string {
  return chat
    .findAll('[part="rate-button"]')
    .map((button) => button.ariaPressed)
    .join();
}

type Rating = ChatEventMap['chat-rating']['detail'];

const rated = (element: VoiceAssistantChat): Promise<Rating> => nextEvent<Rating>(element, 'chat-rating');

describe('the actions of a message', () => {
  afterEach(async () => {
    serveNoHistory();
    Reflect.deleteProperty(navigator, 'clipboard');
    await unmountAll();
  });

  it('are shown for a tapped message, with its time', async function () {
    if (!supports.touch) this.skip();
    const [first, second] = [ago(2, 3), ago(0)];
    serveHistory([
      { role: 'assistant', content: 'Hello!', created_at: first },
      { role: 'user', content: 'Good morning!', created_at: second },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    const times = (): (string | null)[] =>
      chat.findAll('[part="message-tools"] time').map((time) => time.getAttribute('datetime'));
    await until(() => chat.find('.divider') !== null, 'the module for reading');
    expect(times()).to.deep.equal([]);
    await settled(chat);
    const places = (): string =>
      chat
        .findAll('article')
        .map((article) => Math.round(article.getBoundingClientRect().top))
        .join();
    const before = places();
    await tap(chat.part('message-assistant'));
    await until(() => times().join() === first, 'the time of the first message alone');
    expect(chat.find('.assistant [part="message-tools"] time')?.innerText).to.match(/^\d+:57.[AP]M$/);
    await tap(chat.part('message-user'));
    await until(() => times().join() === second, 'the time of the second message alone');
    expect(chat.findAll('[part="rate-button"]'), 'nobody rates what they wrote').to.deep.equal([]);
    expect(places(), 'nothing moves under a finger').to.equal(before);
    const { bottom } = chat.part('message-log').getBoundingClientRect();
    expect(chat.part('message-tools').getBoundingClientRect().bottom).to.be.at.most(bottom);
    await tap(chat.part('header'));
    await until(() => times().length === 0, 'the tools to disappear');
  });

  it('stay when a tap on a button focuses an element around it, as in Safari', async function () {
    if (!supports.touch) this.skip();
    serveHistory([
      { role: 'assistant', content: 'Hello!', created_at: ago(1) },
      { role: 'user', content: 'Good morning!', created_at: ago(1) },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.find('.divider') !== null, 'the module for reading');
    await settled(chat);
    chat.part('panel').addEventListener('mousedown', (event) => {
      const button = (event.target as Element).closest('button');
      if (!button) return;
      event.preventDefault();
      button.parentElement?.closest<HTMLElement>('[tabindex]')?.focus();
    });
    await tap(chat.part('message-assistant'));
    await until(() => chat.find('[part="rate-button"]') !== null, 'the tools');
    const rating = rated(chat.element);
    await tap(chat.part('rate-button'));
    await rating;
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    });
    expect(pressed(chat)).to.equal('true,false');
  });

  it('are shown by mouse and by keyboard, with the message’s time', async () => {
    const at = ago(1);
    serveHistory([{ role: 'assistant', content: 'Hello!', created_at: at }]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    const time = (): string | null | undefined =>
      chat.find('[part="message-tools"] time')?.getAttribute('datetime');
    chat.part('message-assistant').focus();
    await until(() => time() === at, 'the time, by keyboard');
    chat.input.focus();
    await until(() => time() === undefined, 'the time to disappear');
    await click(chat.part('message-assistant'));
    await until(() => time() === at, 'the time, by mouse');
  });

  it('send a rating to the page; the button stays pressed, and the rating can be withdrawn', async () => {
    const chat = await answered('We **open** at nine.');
    const [up, down] = chat.findAll('[part="rate-button"]') as [HTMLElement, HTMLElement];
    expect([up.title, down.title]).to.deep.equal(['Helpful', 'Not helpful']);
    const ratings: Rating[] = [];
    chat.element.addEventListener('chat-rating', ({ detail }) => ratings.push(detail));
    up.focus();
    const first = rated(chat.element);
    await press('Enter');
    expect(await first).to.include({ text: 'We **open** at nine.', rating: 'up', index: 1 });
    await until(() => pressed(chat) === 'true,false', 'the mark');
    await click(down);
    await until(() => pressed(chat) === 'false,true', 'the other mark');
    chat.element.remove();
    const next = await openChat();
    await showTools(next);
    await until(() => pressed(next) === 'false,true', 'the mark after a reload');
    next.element.addEventListener('chat-rating', ({ detail }) => ratings.push(detail));
    await click(next.findAll('[part="rate-button"]')[1] as HTMLElement);
    await until(() => pressed(next) === 'false,false', 'no mark');
    expect(ratings.map(({ rating }) => rating)).to.deep.equal(['up', 'down', null]);
    const { conversationId = '', index } = ratings[2] ?? {};
    const served = await fetch(`${modelService.url}/api/conversations/${conversationId}`);
    const { history } = (await served.json()) as { history: { content: string }[] };
    expect(history[index ?? -1]?.content).to.equal('We **open** at nine.');
  });

  it('copy the message as the reader sees it, as text and as HTML', async () => {
    const markdown = [
      'We **open** at [nine](https://example.com/hours).',
      '1. `a_b`\n2. <b>c</b>',
      '| Day | Hour |\n|--|--|\n| Mo | 9 |',
      '- [Thanks](reply:)\n- [Where?](reply:)',
    ].join('\n\n');
    const text = 'We open at nine (https://example.com/hours).\n\n1. a_b\n2. <b>c</b>\n\nDay\tHour\nMo\t9';
    const chat = await answered(markdown);
    // The Markdown module may be still loading.
    await until(() => chat.find('.markdown table') !== null, 'the table');
    expect(chat.part('copy-button').title).to.equal('Copy message');
    await click(chat.part('copy-button'));
    await until(() => chat.part('copy-button').title === 'Copied', 'the confirmation');
    const announcement = (): string => chat.announcement;
    expect(announcement()).to.contain('Copied');
    const paste = await readClipboard();
    expect(paste.text).to.equal(text);
    const { body } = paste.document;
    const texts = (selector: string): string[] =>
      [...body.querySelectorAll(selector)].map(({ textContent }) => textContent);
    expect(texts('strong')).to.deep.equal(['open']);
    expect(body.querySelector('a')?.getAttribute('href')).to.equal('https://example.com/hours');
    expect(texts('ol > li')).to.deep.equal(['a_b', '<b>c</b>']);
    expect(texts('th, td')).to.deep.equal(['Day', 'Hour', 'Mo', '9']);
    expect(body.textContent).not.to.contain('Thanks');

    // Browsers without rich clipboard content get text.
    const copied: string[] = [];
    const clipboard = {
      write: () => Promise.reject(new DOMException('No HTML here', 'NotAllowedError')),
      writeText: (text: string) => Promise.resolve(void copied.push(text)),
    };
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
    await click(chat.part('copy-button'));
    await until(() => copied.length > 0, 'the plain text');
    expect(copied).to.deep.equal([text]);

    // A refusal is also shown for a while, or until the button loses the focus.
    const denied = 'This browser does not support this feature.';
    clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'));
    const button = chat.part('copy-button');
    await until(() => announcement().includes('Copied'), 'the confirmation');
    button.focus();
    await press('Enter');
    await until(() => button.title === denied && announcement().endsWith(denied), 'the error');
    expect(announcement()).not.to.contain('Copied');
    expect(button.dataset['result'], 'the text beside the icon').to.equal(denied);
    chat.input.focus();
    expect([button.title, announcement().includes(denied)]).to.deep.equal(['Copy message', false]);
  });

  it('stop a growing answer with the send button', async () => {
    const chat = await openChat();
    const answer = await scriptAnswer({ chunks: ['It goes on', wait, ' and on.'] });
    await chat.ask(answer.question);
    await until(() => chat.messages.at(-1)?.endsWith('It goes on') ?? false, 'the first words');
    expect(chat.part('send-button').title).to.equal('Stop');
    // With a text, the button sends.
    chat.write('And');
    await until(() => chat.part('send-button').title === 'Send', 'the send button');
    chat.write('');
    await until(() => chat.part('send-button').title === 'Stop', 'the stop button');
    await click(chat.part('send-button'));
    await until(() => chat.find('small.state')?.innerText === 'Stopped.', 'the note “Stopped.”');
    await answer.resume();
    await until(() => chat.part('send-button').title === 'Send', 'the end of the reply');
    expect(chat.messages.at(-1)).to.equal('assistant: It goes on');
  });
  it('return a message that was not sent to the composer', async () => {
    serveHistory([{ role: 'assistant', content: 'Hello!' }]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await chat.ask('How much is teh bag?');
    await until(() => chat.find('[part="edit-button"]') !== null, 'the button');
    chat.part('edit-button').focus();
    await press('Enter');
    await until(() => chat.input.value === 'How much is teh bag?', 'the text in the composer');
    expect(chat.element.shadowRoot?.activeElement).to.equal(chat.input);
    await until(() => chat.findAll('li.user').length === 0, 'the message to be gone from the log');
  });
});
