import { expect } from '@open-wc/testing';
import type { PageTool } from '../../src/widget/page-tool.ts';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { press } from '../support/browser/page.ts';
import { scriptAnswer, wait } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';
import { buttonIn, toolRequests } from '../support/chat/page-tools.ts';

const originalFetch = window.fetch.bind(window);

interface SentBody {
  tool_results?: { name: string; arguments: unknown; result: unknown }[];
}

const tool = (name: string, run: PageTool['run'], safe = false): PageTool => ({
  name,
  description: `Does ${name}.`,
  parameters: [{ name: 'code', type: 'string', description: 'A code' }],
  safe,
  run,
});

describe('several calls of page tools', () => {
  /** The tool results of each message. */
  let sent: SentBody['tool_results'][] = [];
  beforeEach(() => {
    sent = [];
    window.fetch = (input, init) => {
      if (/\/messages$/.test(input as string))
        sent.push((JSON.parse(init?.body as string) as SentBody).tool_results);
      return originalFetch(input, init);
    };
  });
  afterEach(async () => {
    await unmountAll();
    window.fetch = originalFetch;
  });

  const openWith = async (...tools: PageTool[]): Promise<Chat> => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('greeting'),
    });
    chat.element.tools = tools;
    await chat.open();
    await chat.answered(1);
    return chat;
  };
  const askForCalls = async (chat: Chat, ...names: string[]): Promise<void> => {
    const calls = names.map((name, at) => ({ name, arguments: { code: `C-${at}` } }));
    await chat.ask((await scriptAnswer({ calls, chunks: ['I asked for it.'] })).question);
  };
  const statesOf = (chat: Chat): string =>
    toolRequests(chat)
      .map(({ dataset }) => dataset['state'])
      .join(' ');
  const decide = (chat: Chat, at: number, label: string): void => {
    buttonIn(toolRequests(chat)[at] as HTMLElement, label).click();
  };

  it('of one tool in one message are decided one by one', async () => {
    const runs: unknown[] = [];
    const chat = await openWith(tool('save_note', (args) => runs.push(args['code'])));
    await askForCalls(chat, 'save_note', 'save_note');
    await chat.answered(2);
    await until(() => statesOf(chat) === 'asked asked', 'both requests');
    decide(chat, 1, 'Allow');
    await until(() => statesOf(chat) === 'asked done', 'the second to run');
    expect(chat.find('[part~="continue"]'), 'one is not decided yet').to.equal(null);
    decide(chat, 0, 'Don’t allow');
    await until(() => statesOf(chat) === 'denied done', 'the first to be denied');
    await until(() => chat.find('[part~="continue"]') !== null, 'the button to continue');
    expect(runs).to.deep.equal(['C-1']);
    await chat.ask('Thank you');
    await chat.answered(3);
    expect(sent.at(-1)?.map(({ arguments: args }) => args)).to.deep.equal([{ code: 'C-1' }, { code: 'C-0' }]);
  });

  it('are decided by two presses between two frames', async () => {
    const chat = await openWith(
      tool('save_note', () => 'saved'),
      tool('print_note', () => 'printed'),
    );
    await askForCalls(chat, 'save_note', 'print_note');
    await chat.answered(2);
    await until(() => statesOf(chat) === 'asked asked', 'the requests');
    decide(chat, 0, 'Always allow in this conversation');
    decide(chat, 1, 'Allow');
    await until(() => statesOf(chat) === 'done done', 'both to run');
  });

  it('keep their outcomes across a reload, also on a page with fewer tools', async () => {
    const runs: string[] = [];
    const save = tool('save_note', () => runs.push('save'));
    const print = tool('print_note', () => runs.push('print'));
    const first = await openWith(save, print);
    await askForCalls(first, 'save_note', 'print_note', 'print_note');
    await first.answered(2);
    await until(() => statesOf(first) === 'asked asked asked', 'the requests');
    decide(first, 1, 'Allow');
    await until(() => statesOf(first) === 'asked done asked', 'the second to run');
    first.element.remove();
    const second = await openWith(print);
    await until(() => statesOf(second) === 'done asked', 'the outcome and the request');
    decide(second, 1, 'Allow');
    await until(() => statesOf(second) === 'done done', 'the third to run');
    expect(runs).to.deep.equal(['print', 'print']);
  });

  it('are not run again after a reload, also if they are safe and in an older message', async () => {
    let runs = 0;
    const count = tool('count_items', () => ++runs, true);
    const first = await openWith(count);
    for (const [answers, states] of [
      [2, 'done'],
      [3, 'done done'],
    ] as const) {
      await askForCalls(first, 'count_items');
      await first.answered(answers);
      await until(() => statesOf(first) === states, 'the tool to run');
    }
    first.element.remove();
    const second = await openWith(count);
    await second.answered(3);
    await until(() => statesOf(second) === 'done', 'the outcome in the last message');
    await askForCalls(second, 'count_items');
    await second.answered(4);
    await until(() => statesOf(second) === 'done done', 'the third call');
    expect(runs).to.equal(3);
    expect(sent.at(-1)?.map(({ result }) => result)).to.deep.equal([2]);
  });

  for (const [received, states] of [
    ['delta', 'asked'],
    ['function_call', 'done'],
  ] as const) {
    it(`are ${states} if the connection was lost after the events "${received}" of the answer`, async () => {
      const chat = await openWith(tool('save_note', () => 'saved', true));
      const send = window.fetch.bind(window);
      window.fetch = async (input, init) => {
        const response = await send(input, init);
        if (!/\/messages$/.test(input as string)) return response;
        const events = (await response.text()).split('\n\n');
        const arrived = events.filter((event) => event.startsWith(`event: ${received}\n`));
        return new Response(arrived.map((event) => `${event}\n\n`).join(''), response);
      };
      await askForCalls(chat, 'save_note');
      await chat.answered(2);
      await until(() => statesOf(chat) === states, states);
      if (states === 'asked') decide(chat, 0, 'Allow');
      await until(() => statesOf(chat) === 'done', 'the tool to run');
    });
  }

  it('of a retried answer are new calls if they differ, also after a reload', async () => {
    const runs: string[] = [];
    const find = tool('find_items', () => runs.push('find'), true);
    const add: PageTool = {
      ...tool('add_item', ({ quantity, code }) => runs.push(`add ${String(quantity)} of ${String(code)}`)),
      parameters: ['quantity', 'code'].map((name) => ({ name, type: 'string', description: name })),
    };
    const first = await openWith(find, add);
    const call = { name: 'find_items', arguments: { code: 'A' } };
    const answer = await scriptAnswer({ calls: [call], chunks: ['Let me'], ending: 'cut' });
    await first.ask(answer.question);
    await until(() => first.find('[part="retry-button"]') !== null, 'the failure');
    await until(() => runs.length === 1, 'the tool to run');
    // The database does not keep the order of the arguments.
    const changed = { name: 'add_item', arguments: { quantity: '2', code: 'A' } };
    await answer.change({ calls: [changed], chunks: ['I asked for it.'] });
    first.part('retry-button').click();
    await first.answered(2);
    await until(() => statesOf(first) === 'done asked', 'the new request');
    decide(first, 1, 'Allow');
    await until(() => statesOf(first) === 'done done', 'the new call to run');
    expect(runs).to.deep.equal(['find', 'add 2 of A']);
    first.element.remove();
    const second = await openWith(find, add);
    await until(() => statesOf(second) === 'done', 'the outcome');
    await second.ask('Thank you');
    await second.answered(3);
    expect(sent.map((results) => results?.map(({ name }) => name))).to.deep.equal([
      undefined,
      ['find_items'],
      ['add_item'],
    ]);
  });

  it('are no longer asked about if the answer fails and is retried without them', async () => {
    const chat = await openWith(tool('save_note', () => 'saved'));
    const call = { name: 'save_note', arguments: { code: 'A' } };
    const answer = await scriptAnswer({ calls: [call], chunks: ['Let me', wait], ending: 'cut' });
    await chat.ask(answer.question);
    await until(() => statesOf(chat) === 'asked', 'the request');
    await answer.resume();
    await until(() => chat.find('[part="retry-button"]') !== null, 'the failure');
    await answer.change({ chunks: ['No need to.'] });
    chat.part('retry-button').click();
    await chat.answered(2);
    expect(statesOf(chat)).to.equal('');
  });

  it('leave no result behind if the visitor restarts while they run, also in an equal conversation', async () => {
    const finish: ((result: unknown) => void)[] = [];
    const run = () => new Promise((resolve) => finish.push(resolve));
    const chat = await openWith(tool('save_note', run, true));
    await askForCalls(chat, 'save_note');
    await until(() => finish.length === 1, 'the call');
    await chat.answered(2);
    chat.element.restart();
    await until(() => chat.messages.length === 1, 'the new conversation');
    await askForCalls(chat, 'save_note');
    await until(() => finish.length === 2, 'the call in the new conversation');
    await chat.answered(2);
    finish[0]?.('of the old conversation');
    await new Promise(requestAnimationFrame);
    expect(statesOf(chat)).to.equal('running');
    finish[1]?.('of the new conversation');
    await until(() => statesOf(chat) === 'done', 'the outcome');
    await chat.ask('Thank you');
    await chat.answered(3);
    expect(sent.at(-1)?.map(({ result }) => result)).to.deep.equal(['of the new conversation']);
  });

  it('that end after the visitor’s next message send their result with the one after it', async () => {
    const { promise, resolve: finish } = Promise.withResolvers<string>();
    const chat = await openWith(tool('save_note', () => promise, true));
    await askForCalls(chat, 'save_note');
    await chat.answered(2);
    await until(() => statesOf(chat) === 'running', 'the call');
    await chat.ask('Hello?');
    await chat.answered(3);
    expect(sent.at(-1)).to.equal(undefined);
    expect(chat.find('[part~="continue"]')).to.equal(null);
    finish('late');
    await until(() => chat.find('[part~="continue"] button') !== null, 'the button to continue');
    chat.find('[part~="continue"] button')?.click();
    await chat.answered(4);
    expect(sent.at(-1)?.map(({ result }) => result)).to.deep.equal(['late']);
  });

  it('fail if the page has removed the tool before the visitor decides', async () => {
    const chat = await openWith(
      tool('save_note', () => 'saved'),
      tool('print_note', () => 'printed'),
    );
    await askForCalls(chat, 'save_note');
    await chat.answered(2);
    await until(() => statesOf(chat) === 'asked', 'the request');
    chat.element.tools = [tool('print_note', () => 'printed')];
    decide(chat, 0, 'Allow');
    await until(() => statesOf(chat) === 'failed', 'the outcome');
    await chat.ask('Thank you');
    await chat.answered(3);
    expect(sent.at(-1)?.map(({ result }) => result)).to.deep.equal([
      { error: 'The page no longer has this function.' },
    ]);
  });

  for (const tools of [[], undefined])
    it(`end as usual if they lead to a route without tools: ${tools ? 'an empty list' : 'undefined'}`, async () => {
      const chat = await openWith(
        tool('show_checkout', async () => {
          chat.element.tools = tools;
          await new Promise(requestAnimationFrame);
          return 'shown';
        }),
      );
      await askForCalls(chat, 'show_checkout', 'show_checkout');
      await chat.answered(2);
      await until(() => statesOf(chat) === 'asked asked', 'the requests');
      decide(chat, 0, 'Allow');
      await until(() => statesOf(chat) === 'done asked', 'the outcome');
      decide(chat, 1, 'Allow');
      await until(() => statesOf(chat) === 'done failed', 'the call of a tool that is gone');
      chat.find('[part~="continue"] button')?.click();
      await chat.answered(3);
      expect(sent.at(-1)?.map(({ result }) => result)).to.deep.equal([
        'shown',
        { error: 'The page no longer has this function.' },
      ]);
    });

  it('of an answer without a text leave the arrow keys their places in the log', async () => {
    const chat = await openWith(tool('coupon', () => 'done'));
    const calls = [{ name: 'coupon', arguments: { code: 'C' } }];
    const { question } = await scriptAnswer({ calls, chunks: [] });
    await chat.ask(question);
    await until(() => toolRequests(chat).length === 1, 'the request');
    const allow = buttonIn(toolRequests(chat)[0] as HTMLElement, 'Allow');
    const root = chat.element.shadowRoot as ShadowRoot;
    allow.focus();
    await press('ArrowDown');
    expect(root.activeElement === allow, 'nothing follows').to.be.true;
    await press('ArrowUp');
    expect(root.activeElement?.textContent).to.contain(question);
  });

  it('keep their buttons and the focus while the chat renders', async () => {
    const chat = await openWith(tool('save_note', () => 'Saved'));
    await askForCalls(chat, 'save_note');
    await chat.answered(2);
    await until(() => statesOf(chat) === 'asked', 'the request');
    const button = buttonIn(toolRequests(chat)[0] as HTMLElement, 'Allow');
    button.focus();
    chat.element.setAttribute('heading', 'Another heading');
    await until(() => chat.part('header').innerText.includes('Another heading'), 'the new heading');
    expect(chat.element.shadowRoot?.activeElement === button).to.equal(true);
    button.click();
    await until(() => statesOf(chat) === 'done', 'the outcome');
  });
});
