import { expect } from '@open-wc/testing';
import { faulty, mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';
import { productQuestion, showProduct } from '../support/chat/page-tools.ts';

describe('type="test"', () => {
  afterEach(unmountAll);

  it('is marked as a free test, which type="widget" is not', async () => {
    const chat = mount({ type: 'test' });
    await chat.open();
    await until(() => chat.find('[part="test-mark"]') !== null, 'the mark');
    expect(chat.part('test-mark').innerText).to.match(/test.*free/i);
    // The name stays on one line, with the mark below it.
    const heading = chat.find('h2') as HTMLElement;
    expect(chat.part('test-mark').getBoundingClientRect().left).to.equal(
      heading.getBoundingClientRect().left,
    );
    chat.element.heading = 'A name that has more words than there is room for in the head of a chat';
    await until(() => heading.title === chat.element.heading, 'the whole name as its title');
    expect(heading.clientHeight).to.be.below(2 * parseFloat(getComputedStyle(heading).lineHeight));
    chat.element.style.setProperty('--voice-assistant-chat-font-size', '30px');
    expect(heading.clientHeight).to.be.above(2 * parseFloat(getComputedStyle(heading).lineHeight));
    const widget = mount();
    await widget.open();
    // The page has already loaded the module that renders both, so they would be there before the greeting.
    await widget.answered(1);
    await new Promise(requestAnimationFrame);
    expect(widget.find('[part="test-mark"]')).to.equal(null);
    expect(widget.find('[part="inspector"]')).to.equal(null);
  });

  it('works although the owner has no balance', async () => {
    const chat = mount({ type: 'test', 'assistant-id': service.assistantThatShows('no-balance') });
    await chat.open();
    await chat.ask('Hello');
    await until(
      () => chat.messages.some((text) => text.startsWith('assistant') && text.length > 15),
      'the answer',
    );
    expect(chat.problems).to.deep.equal([]);
  });

  it('shows variables and timings', async () => {
    const chat = mount({ type: 'test', variables: '{"first_name":"Ada","visits":3}' });
    await chat.open();
    await chat.ask('What does delivery cost?');
    await chat.answered(2);
    const text = (): string => chat.find('[part="inspector"]')?.innerText ?? '';
    await until(() => /first_name\s+Ada/.test(text()) && /visits\s+3/.test(text()), 'the variables');
    await until(() => /First words after \d+ ms, complete after \d+ ms/.test(text()), 'the timings');
    expect(text()).to.match(/Opened in \d+ ms/);
  });

  it('shows the variables as they are after each message, also if reading them failed before', async () => {
    const original = window.fetch.bind(window);
    let failures = 0;
    window.fetch = (input, init) => {
      const { method, url } = new Request(input, init);
      if (method !== 'GET' || !/conversations\/[^/]+$/.test(url) || failures > 0)
        return original(input, init);
      failures++;
      return Promise.reject(new TypeError('no connection'));
    };
    try {
      const chat = mount({ type: 'test', variables: '{"plan":"free"}' });
      await chat.open();
      await until(() => failures > 0, 'the first request for the variables');
      const text = (): string => chat.find('[part="inspector"]')?.innerText ?? '';
      await chat.ask('Do you deliver?');
      await until(() => /plan\s+free/.test(text()), 'the variables');
      await chat.answered(2);
      chat.element.variables = { plan: 'pro' };
      chat.element.context = { product: 'TB-32' };
      await chat.ask('What does delivery cost?');
      await until(() => /plan\s+pro/.test(text()) && /product\s+TB-32/.test(text()), 'the new variables');
    } finally {
      window.fetch = original;
    }
  });

  it('shows function calls with arguments and results', async () => {
    const chat = mount({ type: 'test', 'base-url': faulty('function-calls') });
    await chat.open();
    await chat.ask('Where is my order 1017?');
    await until(() => chat.find('[part="inspector"] summary') !== null, 'the call');
    const text = (): string => chat.part('inspector').innerText;
    expect(text()).to.contain('find_order');
    expect(text()).to.contain('"order_number": "1017"');
    await until(() => text().includes('"status": "on its way"'), 'the result');
  });

  it('shows the result of a page tool', async () => {
    const chat = mount({ type: 'test' });
    chat.element.tools = [showProduct(() => ({ shown: 'boots' }))];
    await chat.open();
    await chat.answered(1);
    const text = (): string => chat.find('[part="inspector"]')?.innerText ?? '';
    await chat.ask(productQuestion);
    await until(() => chat.find('[part~="tool-request"] button') !== null, 'the question for consent');
    await until(() => text().includes('May the assistant run “Show product”'), 'the pending call');
    const [allow, deny] = ['Allow', 'Don’t allow'].map((label) => (): Promise<void> => {
      const buttons = chat.findAll('[part~="tool-request"] button');
      return click(buttons.find(({ innerText }) => innerText === label) as HTMLElement);
    });
    await allow?.();
    await until(() => text().includes('"shown": "boots"'), 'the result');
    await chat.ask(productQuestion);
    await until(() => chat.findAll('[part~="tool-request"] button').length > 2, 'the second question');
    await deny?.();
    await until(() => text().includes('“Show product” was not allowed.'), 'the refusal');
    chat.element.tools = [
      showProduct(() => {
        throw new Error('Out of stock.');
      }, true),
    ];
    await chat.ask(productQuestion);
    await until(() => /“Show product” failed\.[^]*Out of stock\./.test(text()), 'the failure');
    expect(text()).not.to.contain('Running');
    expect(text()).to.contain('"shown": "boots"');
  });

  it('toggles the inspector with a button', async () => {
    const chat = mount({ type: 'test' });
    await chat.open();
    await until(() => chat.find('[part="inspector"]') !== null, 'the inspector');
    const button = chat.find('[aria-pressed="true"]');
    if (button === null) throw new Error('There is no button.');
    await click(button);
    await until(() => chat.find('[part="inspector"]') === null, 'the inspector to disappear');
    expect(button.getAttribute('aria-pressed')).to.equal('false');
  });

  it('keeps its conversation separate from a visitor’s', async () => {
    const test = mount({ type: 'test' });
    await test.open();
    await test.ask('A test');
    await test.answered(2);
    test.element.remove();
    const visitor = mount();
    await visitor.open();
    await visitor.answered(1);
    expect(visitor.messages).to.have.length(1);
  });
});
