import { expect } from '@open-wc/testing';
import { ago, cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { downloadedFile } from '../support/chat/downloaded-file.ts';
import { click, press } from '../support/browser/page.ts';
import { settled } from '../support/chat/page-layout.ts';

const count = 230;
const atOnce = 100;

/** The distance of a message from the top of the log. */
function topOf(chat: Chat, message: HTMLElement): number {
  return message.getBoundingClientRect().top - chat.part('message-log').getBoundingClientRect().top;
}

/** Resumes a conversation, and scrolls to its first loaded message. */
async function openAtTop(): Promise<Chat> {
  const before = mount({ 'base-url': cannedService, lang: 'en' });
  await before.open();
  before.element.hide();
  before.element.remove();
  const chat = mount({ 'base-url': cannedService, lang: 'en' });
  await chat.open();
  await until(() => chat.findAll('article').length === atOnce, 'the latest messages');
  await until(() => chat.find('[part="earlier-button"]') !== null, 'the button');
  await settled(chat);
  const log = chat.part('message-log');
  await until(() => {
    // Repeated if the log was still scrolling to its end.
    log.scrollTop = 0;
    return chat.find('[part="latest-button"]') !== null;
  }, 'the beginning');
  // Messages above may be laid out only now.
  await stands(chat, chat.findAll('article')[0] as HTMLElement);
  return chat;
}

/** Waits until a message no longer moves; returns its distance from the edge. */
async function stands(chat: Chat, message: HTMLElement): Promise<number> {
  let before = NaN;
  let same = 0;
  await until(() => {
    const now = topOf(chat, message);
    same = now === before ? same + 1 : 0;
    before = now;
    return same > 5;
  }, 'the messages to stand still');
  return before;
}

/** Saves a transcript with the button of the menu. */
function saveAsText(chat: Chat): ReturnType<typeof downloadedFile> {
  return downloadedFile(async () => {
    await click(chat.part('menu-button'));
    await until(() => chat.find('.menu:popover-open button') !== null, 'the menu');
    const items = chat.findAll('.menu:popover-open button');
    items.find(({ innerText }) => /as text/.test(innerText))?.click();
  });
}

describe('messages before a long history', () => {
  let asked: string[];
  let isBroken: boolean;

  beforeEach(() => {
    serveHistory(
      Array.from({ length: count }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: index % 2 === 0 ? `Question ${String(index)}` : `Answer **${String(index)}**.\n\n- a point`,
        created_at: ago(index < 60 ? 2 : 1, 600 - index * 2),
      })),
      atOnce,
    );
    const { fetch } = globalThis;
    asked = [];
    isBroken = false;
    globalThis.fetch = (input, init) => {
      const { searchParams } = new URL(input instanceof Request ? input.url : String(input), location.href);
      const before = searchParams.get('before');
      if (before === null) return fetch(input, init);
      asked.push(before);
      return isBroken ? Promise.reject(new TypeError('Failed to fetch')) : fetch(input, init);
    };
  });

  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('load above the reader’s position, page by page, without moving it', async () => {
    const chat = await openAtTop();
    expect(asked).to.deep.equal([]);
    const first = chat.findAll('article')[0] as HTMLElement;
    expect(first.textContent).to.contain('Question 130');
    const before = topOf(chat, first);
    await click(chat.part('earlier-button'));
    await until(() => chat.findAll('article').length === 2 * atOnce, 'the earlier messages');
    expect(await stands(chat, first)).to.be.closeTo(before, 2);
    await until(() => chat.findAll('.markdown strong').length === atOnce, 'the Markdown of all');
    expect(await stands(chat, first)).to.be.closeTo(before, 2);
    expect(chat.findAll('.divider time').length, 'days').to.equal(2);

    const log = chat.part('message-log');
    log.scrollTop = 0;
    const next = chat.findAll('article')[0] as HTMLElement;
    expect(next.textContent).to.contain('Question 30');
    await stands(chat, next);
    // The arrow keys reach the button before the first message, whose focus ring is visible.
    next.focus();
    await press('ArrowUp');
    await press('ArrowUp');
    expect(chat.element.shadowRoot?.activeElement === chat.part('earlier-button')).to.be.true;
    await press('ArrowDown');
    expect(chat.element.shadowRoot?.activeElement === next).to.be.true;
    log.scrollTop = log.scrollHeight;
    await press('Home');
    const ringTop = (): number => next.getBoundingClientRect().top - 4.5;
    await until(() => ringTop() >= log.getBoundingClientRect().top, 'all of the first message');
    chat.part('earlier-button').focus();
    const nextBefore = await stands(chat, next);
    await press('Enter');
    await until(() => chat.findAll('article').length === count, 'all messages');
    expect(await stands(chat, next)).to.be.closeTo(nextBefore, 2);
    expect(chat.find('[part="earlier-button"]')).to.equal(null);
    expect(chat.element.shadowRoot?.activeElement === next, 'the focus on what was read').to.be.true;
    await press('ArrowUp');
    expect((chat.element.shadowRoot?.activeElement as HTMLElement).textContent).to.contain('29');
    const keys = chat.findAll('li[data-key]').map(({ dataset }) => dataset['key']);
    expect(new Set(keys).size).to.equal(count);
    const texts = chat
      .findAll('article > :last-child')
      .map(({ textContent }) => /\d+/.exec(textContent)?.[0]);
    expect(texts).to.deep.equal(Array.from({ length: count }, (_, index) => String(index)));
    expect(asked).to.deep.equal(['130', '30']);
  });

  it('can be rated, with a separate index', async () => {
    const chat = await openAtTop();
    await click(chat.part('earlier-button'));
    await until(() => chat.findAll('article').length === 2 * atOnce, 'the earlier messages');
    const message = chat.findAll('article')[atOnce - 1] as HTMLElement;
    message.focus();
    await until(() => chat.find('[part="rate-button"]') !== null, 'the tools');
    const rating = nextEvent<{ index: number; text: string }>(chat.element, 'chat-rating');
    chat.part('rate-button').click();
    const { index, text } = await rating;
    expect([index, text.slice(0, 14)]).to.deep.equal([-1, 'Answer **129**']);
    await until(() => chat.part('rate-button').ariaPressed === 'true', 'the mark');
  });

  it('can be requested again after a failure, and a transcript says that earlier messages are missing', async () => {
    isBroken = true;
    const chat = await openAtTop();
    await click(chat.part('earlier-button'));
    await until(() => chat.find('.earlier [role="alert"]') !== null, 'the error message');
    const part = await saveAsText(chat);
    expect(part.text).to.match(/^.+\nEarlier messages: The connection was lost\.\n/);
    expect(part.text).to.contain('Question 130').and.not.contain('Answer 29');
    isBroken = false;
    const whole = await saveAsText(chat);
    expect(whole.text).to.contain('Question 0\n').and.contain('Answer 229').and.not.contain('connection');
    expect(chat.findAll('article').length, 'the visible messages').to.equal(atOnce);
    await click(chat.part('earlier-button'));
    await until(() => chat.findAll('article').length === 2 * atOnce, 'the earlier messages');
    expect(chat.find('.earlier [role="alert"]')).to.equal(null);
  });

  it('appear one page at a time on a double click, also if a transcript has loaded them all', async () => {
    const chat = await openAtTop();
    await saveAsText(chat);
    const button = chat.part('earlier-button');
    button.click();
    button.click();
    await until(() => chat.findAll('.markdown strong').length === atOnce, 'the Markdown of all');
    expect(chat.findAll('article').length, 'the messages').to.equal(2 * atOnce);
    await click(chat.part('earlier-button'));
    await until(() => chat.findAll('article').length === count, 'all messages');
  });

  it('are removed with their conversation', async () => {
    const chat = await openAtTop();
    await click(chat.part('earlier-button'));
    await until(() => chat.findAll('article').length === 2 * atOnce, 'the earlier messages');
    serveHistory([{ role: 'assistant', content: 'Hello again' }]);
    chat.element.forget();
    chat.element.show();
    await until(() => chat.messages.join() === 'assistant: Hello again', 'a new conversation');
    expect(chat.find('[part="earlier-button"]')).to.equal(null);
  });
});
