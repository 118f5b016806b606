import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { settled } from '../support/chat/page-layout.ts';
import { recordPageErrors } from '../support/browser/page-errors.ts';
import { press } from '../support/browser/page.ts';
import { scriptAnswer, wait, type ScriptedAnswer } from '../support/browser/script-answer.ts';
import { modelService, service } from '../support/browser/service-under-test.ts';
import { buttonIn, showProduct, toolRequests } from '../support/chat/page-tools.ts';

/** Asks for an answer that calls a page tool before its first chunk. */
async function askForTool(
  chunks: NonNullable<Parameters<typeof scriptAnswer>[0]['chunks']>,
): Promise<{ chat: Chat; answer: ScriptedAnswer }> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('greeting'),
  });
  chat.element.tools = [showProduct(() => 'Done')];
  const calls = [{ name: 'show_product', arguments: { code: 'ALP-40' } }];
  const answer = await scriptAnswer({ calls, chunks });
  await chat.open();
  await chat.ask(answer.question);
  await until(() => toolRequests(chat).length === 1, 'the request');
  return { chat, answer };
}

/** Waits for this number of frames. */
async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame++)
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
}

describe('the message log', () => {
  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('follows the conversation if the reader is at its end', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('no-greeting') });
    await chat.open();
    for (let count = 1; count <= 4; count++) {
      await chat.ask('What are your opening hours, and what does delivery cost?');
      await chat.answered(count);
    }
    const log = chat.part('message-log');
    const distance = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    expect(log.scrollHeight).to.be.above(log.clientHeight);
    await until(() => distance() < 2, 'the end');
  });

  it('shows a message that is sent while its reader scrolls up', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    const long = await scriptAnswer({ chunks: ['A long line.\n'.repeat(60)] });
    const next = await scriptAnswer({ chunks: [wait, 'Here I am.'] });
    await chat.open();
    await chat.ask(long.question);
    await chat.answered(1);
    const log = chat.part('message-log');
    const distance = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    chat.write(next.question);
    await frames(2);
    log.scrollTop = 0;
    (chat.part('composer') as HTMLFormElement).requestSubmit();
    await until(() => chat.find('[part="typing"]') !== null, 'the typing indicator');
    expect(distance()).to.be.below(24);
    await next.resume();
    await chat.answered(2);
  });

  it('does not move a reader who has scrolled up while an answer grows', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    const long = await scriptAnswer({ chunks: ['A long line.\n'.repeat(60)] });
    const growing = await scriptAnswer({
      chunks: ['First words', wait, ', more\n'.repeat(60), wait, 'and the end.'],
    });
    await chat.open();
    await chat.ask(long.question);
    await chat.answered(1);
    await chat.ask(growing.question);
    await until(() => chat.messages.at(-1)?.endsWith('First words') ?? false, 'the first words');
    const log = chat.part('message-log');
    const distance = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    expect(distance()).to.be.below(24);
    expect(chat.findAll('li.assistant')[1]?.dataset['status']).to.equal('streaming');
    log.scrollTop = 10;
    await growing.resume();
    await until(() => chat.messages.at(-1)?.includes('more') ?? false, 'the next chunk');
    expect(log.scrollTop).to.equal(10);
    log.scrollTop = log.scrollHeight;
    await growing.resume();
    await chat.answered(2);
    expect(distance()).to.be.below(24);
  });

  describe('with several pages, which have an estimated height until they are scrolled to', () => {
    let chat: Chat;
    let log: HTMLElement;
    let last: HTMLElement;

    beforeEach(async () => {
      serveHistory(
        Array.from({ length: 75 }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: 'A line.\n'.repeat(1 + (index % 9)),
        })),
      );
      chat = mount({ 'base-url': cannedService });
      await chat.open();
      await until(() => chat.findAll('article').length === 75, 'the messages');
      await settled(chat);
      log = chat.part('message-log');
      last = chat.findAll('article').at(-1) as HTMLElement;
    });

    /** Scrolls up from the end, and changes the height of the last message in the same frame. */
    async function scrollUpAndGrow(height: number): Promise<void> {
      log.scrollTop = log.scrollHeight;
      // Until it follows no earlier change any more: messages get their final height when they scroll into view.
      let before: number;
      do {
        before = log.scrollHeight;
        await frames(3);
      } while (log.scrollHeight !== before);
      log.scrollTop = 0;
      last.style.minHeight = `${height}px`;
      await frames(3);
    }

    it('stays at its end when its text becomes larger', async () => {
      for (const size of ['30px', '20px', '34px']) {
        chat.element.style.setProperty('--voice-assistant-chat-font-size', size);
        await frames(4);
        await until(() => log.scrollHeight - log.scrollTop - log.clientHeight < 2, 'the end');
      }
    });

    it('does not move a reader who scrolls up in the frame in which it grows', async () => {
      await scrollUpAndGrow(900);
      expect(log.scrollTop).to.equal(0);
    });

    it('causes no error in the page when it grows while its reader scrolls', async () => {
      const errors = recordPageErrors();
      for (const height of [900, 300, 1200, 100, 600]) await scrollUpAndGrow(height);
      errors.stop();
      expect(errors.messages).to.deep.equal([]);
    });
  });

  it('renders a long growing answer less often than it grows, and its end at once', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    const words = Array.from({ length: 60 }, (_, at) => `word-${at} `);
    const answer = await scriptAnswer({ chunks: ['A long line.\n'.repeat(600), ...words], pause: 25 });
    await chat.open();
    const renderedAt: number[] = [];
    const observer = new MutationObserver(() => {
      const last = chat.findAll('li.assistant').at(-1);
      if (last?.dataset['status'] === 'streaming' && last.textContent.includes('word-')) {
        renderedAt.push(performance.now());
      }
    });
    observer.observe(chat.part('message-log'), { subtree: true, childList: true, characterData: true });
    await chat.ask(answer.question);
    await chat.answered(1);
    observer.disconnect();
    const renders = renderedAt.length - 1;
    const seconds = ((renderedAt.at(-1) ?? 0) - (renderedAt[0] ?? 0)) / 1000;
    // 16 times a second, and a margin since the first one may have ended late.
    expect(renders).to.be.below(1 + 20 * seconds);
    expect(chat.messages.at(-1)).to.include('word-59');
  });

  it('keeps the position of its reader when the element is moved, as by a router that keeps it across pages', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
    });
    const long = await scriptAnswer({ chunks: ['A long line.\n'.repeat(60)] });
    await chat.open();
    await chat.ask(long.question);
    await chat.answered(1);
    const log = chat.part('message-log');
    const { body } = document;
    const next = document.createElement('body');
    next.append(document.createElement('voice-assistant-chat'));
    for (const isAtEnd of [false, true]) {
      log.scrollTop = isAtEnd ? log.scrollHeight : 30;
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      const before = log.scrollTop;
      expect(before).to.be.above(20);
      // As Astro's router swaps pages.
      body.replaceWith(next);
      next.firstChild?.replaceWith(chat.element);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      const after = log.scrollTop;
      body.append(chat.element);
      next.append(document.createElement('voice-assistant-chat'));
      next.replaceWith(body);
      expect(after).to.equal(before);
    }
  });

  it('shows that an answer is being written until its first words are there', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('greeting'),
    });
    const answer = await scriptAnswer({ chunks: [wait, 'Here', wait, ' it is.'] });
    await chat.open();
    await chat.ask(answer.question);
    await until(() => chat.find('[part="typing"]') !== null, 'the typing indicator');
    const isRound = (dot: HTMLElement): boolean => {
      const { width, height, borderWidth, borderRadius, clipPath } = getComputedStyle(dot);
      return `${width} ${height} ${borderWidth} ${borderRadius} ${clipPath}` === '7px 7px 0px 50% none';
    };
    await until(() => chat.findAll('[part="typing"] i').filter(isRound).length === 3, 'three dots');
    await answer.resume();
    await until(() => chat.messages.at(-1) === 'assistant: Here', 'the first word');
    expect(chat.find('[part="typing"]')).to.equal(null);
    expect(chat.announcement).not.to.contain('Here');
    await answer.resume();
    await chat.answered(2);
    expect(chat.announcement).to.equal('Here it is.');
  });

  it('shows that an answer is being written, and no empty message, while a tool runs', async () => {
    const { chat, answer } = await askForTool([wait, 'Here it is.']);
    const message = chat.findAll('article').at(-1);
    const shown = [message?.checkVisibility(), chat.find('[part="typing"]') !== null];
    await answer.resume();
    expect(shown, 'the empty message, the indicator').to.deep.equal([false, true]);
    await until(() => chat.messages.at(-1) === 'assistant: Here it is.', 'the answer');
    expect(chat.find('[part="typing"]')).to.equal(null);
    expect(message?.checkVisibility()).to.be.true;
  });

  it('shows no empty message above the request of a page tool, and arrow keys skip it', async () => {
    const { chat, answer } = await askForTool([wait]);
    await answer.resume();
    await chat.answered(2);
    await until(() => chat.find('[part="typing"]') === null, 'the end of the answer');
    const [question, message] = chat.findAll('article').slice(-2);
    expect(message?.checkVisibility(), 'an empty message').to.be.false;
    chat.part('message-log').focus();
    await press('End');
    expect(chat.element.shadowRoot?.activeElement === question).to.be.true;
    buttonIn(toolRequests(chat)[0] as HTMLElement, 'Allow').focus();
    await press('Escape');
    expect(chat.element.shadowRoot?.activeElement === chat.part('message-log')).to.be.true;
    expect(chat.isOpen).to.be.true;
  });

  it('does not show that an answer is being written below a message that is queued while it grows', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('greeting'),
    });
    const answer = await scriptAnswer({ chunks: ['Here', wait, ' it is.'] });
    await chat.open();
    await chat.ask(answer.question);
    await until(() => chat.messages.at(-1) === 'assistant: Here', 'the first word');
    await chat.ask('And then?');
    await until(() => chat.messages.at(-1) === 'user: And then?', 'the queued message');
    const indicator = chat.find('[part="typing"]');
    await answer.resume();
    expect(indicator === null).to.be.true;
    await chat.answered(3);
  });

  it('announces finished messages to screen readers, and not the chunks of a growing one', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    await until(
      () => `assistant: ${chat.announcement}` === chat.messages[0],
      'the announcement of the greeting',
    );
    expect(chat.part('message-log').getAttribute('aria-live')).to.equal('off');
    const announcements: string[] = [];
    const status = chat.find('.root > [role="status"]');
    if (status === null) throw new Error('There is no status element.');
    new MutationObserver(() => announcements.push(status.textContent)).observe(status, {
      childList: true,
      subtree: true,
    });
    await chat.ask('Do you have gift cards?');
    await chat.answered(2);
    await until(() => announcements.length > 0, 'the announcement');
    const announced = announcements.at(-1)?.replace(/\s+/g, '') ?? '';
    expect(`assistant:${announced}`).to.equal(chat.messages.at(-1)?.replace(/\s+/g, ''));
    // Each announcement adds text; nothing is repeated.
    for (const [index, text] of announcements.entries())
      expect(announcements.at(-1)).to.satisfy((all: string) => all.startsWith(text), String(index));
  });
});
