import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';

const count = 1200;

describe('a very long history', () => {
  beforeEach(() => {
    serveHistory(
      Array.from({ length: count }, (_, index) =>
        index % 2 === 0
          ? { role: 'assistant', content: `Answer **${String(index)}**.` }
          : { role: 'user', content: `Question ${String(index)}` },
      ),
    );
  });

  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('opens at its end, with all of its text in the page, and renders all Markdown eventually', async () => {
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.findAll('article').length === count, 'all messages');
    const log = chat.part('message-log');
    const distance = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    await until(() => distance() < 24, 'the end');
    const texts = chat.findAll('article > :last-child').map(({ textContent }) => textContent.trim());
    expect(texts[1]).to.equal('Question 1');
    expect(texts.at(-1)).to.equal(`Question ${String(count - 1)}`);
    // Parts outside the viewport are not rendered, but can be found in the page.
    const first = chat.find('.page') as HTMLElement;
    expect(getComputedStyle(first).contentVisibility).to.equal('auto');
    await until(() => chat.findAll('.markdown strong').length === count / 2, 'the Markdown of all answers');
    expect(distance()).to.be.below(24);
  });

  it('renders the part that the reader scrolls to', async () => {
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.findAll('article').length === count, 'all messages');
    const log = chat.part('message-log');
    await until(() => log.scrollTop > 0, 'the end');
    const first = chat.find('.page article') as HTMLElement;
    await until(() => {
      // Repeated if the log was still scrolling to its end.
      log.scrollTop = 0;
      return first.querySelector('.markdown strong')?.textContent === '0';
    }, 'its Markdown');
    const { top, height } = first.getBoundingClientRect();
    expect(height).to.be.above(20);
    expect(top).to.be.at.least(log.getBoundingClientRect().top);
  });
});

describe('a history of another service', () => {
  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('shows messages of people, and leaves out entries without text', async () => {
    serveHistory([
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: null },
      { role: 'tool', content: '{"rows":[]}' },
      { role: 'function', content: '{"status":7}' },
      { role: 'assistant', content: ' ' },
      { role: 'system', content: 'Nora took over' },
      { role: 'assistant', content: 'On its way.' },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.findAll('article').length === 8, 'all lines');
    const shown = (): HTMLElement[] => chat.findAll('article').filter((article) => article.checkVisibility());
    await until(() => shown().length === 4, 'the visible messages');
    expect(shown().map(({ textContent }) => textContent.trim().split(/:\s+/).at(-1))).to.deep.equal([
      'Hello!',
      'Where is it?',
      'Nora took over',
      'On its way.',
    ]);
    expect(chat.part('panel').innerText).not.to.match(/rows|status/);
  });
});
