import { expect } from '@open-wc/testing';
import {
  ago,
  cannedService,
  serveHistory,
  serveNoHistory,
  waitOverMidnight,
} from '../support/chat/canned-history.ts';
import { conversationKey, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press } from '../support/browser/page.ts';
import { scriptAnswer, wait, type ScriptedAnswer } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';

async function openHistory(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  serveHistory([
    { role: 'assistant', content: 'Hello!', created_at: ago(400) },
    { role: 'user', content: 'How much does it carry?', created_at: ago(1, 20) },
    { role: 'user', content: 'The blue one.', created_at: ago(1, 18) },
    {
      role: 'assistant',
      content: '40 litres.',
      created_at: ago(1, 17),
      function_calls: [
        { name: 'look_up_stock', arguments: {}, result: {} },
        { name: 'look_up_stock', arguments: {}, result: {} },
      ],
    },
    {
      role: 'assistant',
      content: 'It is in stock.',
      created_at: ago(1, 2),
      // A page tool, whose request shows its outcome.
      function_calls: [{ name: 'show_product', arguments: {}, client: true }],
    },
    { role: 'user', content: 'Good.', created_at: ago(0) },
  ]);
  const chat = mount({ 'base-url': cannedService, lang: 'en', ...attributes });
  await chat.open();
  await until(() => !!chat.find('.divider')?.textContent.trim(), 'the days');
  return chat;
}

async function openChat(lang = 'en'): Promise<Chat> {
  const chat = mount({
    'base-url': modelService.url,
    'assistant-id': modelService.assistantThatShows('no-greeting'),
    lang,
  });
  await chat.open();
  return chat;
}

/** Requests an answer that is longer than the panel. */
async function fill(chat: Chat, lines = 60): Promise<void> {
  const long = await scriptAnswer({ chunks: ['A long line.\n'.repeat(lines)] });
  await chat.ask(long.question);
  await chat.answered(1);
}

/** Asks a question whose answer waits until it is resumed. */
async function askAndWait(chat: Chat): Promise<ScriptedAnswer> {
  const answer = await scriptAnswer({ chunks: [wait, 'Here I am.'] });
  await chat.ask(answer.question);
  await until(() => chat.find('[part="typing"]') !== null, 'the typing indicator');
  return answer;
}

/** Announcements to screen readers from now on, line by line. */
function announcementsIn(chat: Chat): string[] {
  const lines: string[] = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const { textContent } of addedNodes) lines.push(textContent ?? '');
  }).observe(chat.find('.root > [role="status"]') as HTMLElement, { childList: true });
  return lines;
}

/** Counts formats of times that are created, and lets the page be idle only when told. */
function watchFormats(): { readonly formats: number; rest(): void; restore(): void } {
  const { DateTimeFormat } = Intl;
  const whenIdle = Object.getOwnPropertyDescriptor(window, 'requestIdleCallback');
  const tasks: (() => void)[] = [];
  let formats = 0;
  window.requestIdleCallback = (task) => tasks.push(task as () => void);
  Intl.DateTimeFormat = class extends DateTimeFormat {
    constructor(...args: ConstructorParameters<typeof Intl.DateTimeFormat>) {
      super(...args);
      formats++;
    }
  } as typeof Intl.DateTimeFormat;
  return {
    get formats() {
      return formats;
    },
    rest() {
      for (const task of tasks.splice(0)) task();
    },
    restore() {
      Intl.DateTimeFormat = DateTimeFormat;
      if (whenIdle) Object.defineProperty(window, 'requestIdleCallback', whenIdle);
      // Safari has none.
      else delete (window as Partial<Window>).requestIdleCallback;
    },
  };
}

const focused = (chat: Chat): Element | null | undefined => chat.element.shadowRoot?.activeElement;

/** The tool that it used is named when the module for reading has loaded. */
const greeting = {
  role: 'assistant' as const,
  content: 'Hello!',
  function_calls: [{ name: 'look_up_hours', arguments: {}, result: {} }],
};

describe('reading a conversation', () => {
  beforeEach(waitOverMidnight);
  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('shows times only when the page is idle, since the first format of a page takes long', async () => {
    const page = watchFormats();
    try {
      serveHistory([
        { role: 'assistant', content: 'Hello!', created_at: ago(400) },
        { role: 'user', content: 'Good.', created_at: ago(400) },
      ]);
      const chat = mount({ 'base-url': cannedService, lang: 'en' });
      await chat.open();
      await until(() => chat.find('.divider') !== null, 'the module for reading');
      expect(chat.find('.divider')?.textContent.trim()).to.equal('');
      expect(page.formats).to.equal(0);
      page.rest();
      await until(() => !!chat.find('.divider')?.textContent.trim(), 'the day');
      expect(chat.find('article')?.ariaLabel).to.match(/, \d+:\d\d/);
    } finally {
      page.restore();
    }
  });

  it('shows no time for a greeting and a first question', async () => {
    const page = watchFormats();
    try {
      serveHistory([
        { ...greeting, created_at: ago(0) },
        { role: 'user', content: 'How much does it carry?', created_at: ago(0) },
      ]);
      const chat = mount({ 'base-url': cannedService, lang: 'en', 'show-function-calls': '' });
      await chat.open();
      await until(() => chat.find('.used') !== null, 'the module for reading');
      page.rest();
      await chat.ask('Which colors are there?');
      await chat.problem(/out of order/);
      expect(page.formats).to.equal(0);
      page.rest();
      await until(() => /, \d+:\d\d/.test(chat.find('article')?.ariaLabel ?? ''), 'the time');
    } finally {
      page.restore();
    }
  });

  it('shows neither day nor time for an old greeting that the visitor has not answered yet', async () => {
    const page = watchFormats();
    try {
      serveHistory([{ ...greeting, created_at: ago(1) }]);
      const chat = mount({ 'base-url': cannedService, lang: 'en', 'show-function-calls': '' });
      await chat.open();
      await until(() => {
        page.rest();
        return chat.find('.used') !== null;
      }, 'the module for reading');
      page.rest();
      expect(chat.find('.divider')).to.equal(null);
      expect(page.formats).to.equal(0);
      await chat.ask('Which colors are there?');
      await until(() => chat.findAll('.divider').length === 2, 'both days');
      await until(() => {
        page.rest();
        return !!chat.find('.divider')?.textContent.trim();
      }, 'their names');
      expect(chat.findAll('.divider').map(({ textContent }) => textContent.trim())).to.deep.equal([
        'Yesterday',
        'Today',
      ]);
    } finally {
      page.restore();
    }
  });

  it('shows the day of an old message that nobody has answered', async () => {
    serveHistory([{ role: 'user', content: 'Please call me.', created_at: ago(1) }]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.find('.divider')?.textContent.trim() === 'Yesterday', 'the day');
    expect(chat.find('article')?.ariaLabel).to.match(/^You, \d+:\d\d/);
  });

  it('separates days, and names today and yesterday', async () => {
    const chat = await openHistory();
    const dividers = chat.findAll('.divider').map(({ textContent }) => textContent.trim());
    expect(dividers).to.have.length(3);
    expect(dividers[0]).to.contain(String(new Date(ago(400)).getFullYear()));
    expect(dividers.slice(1)).to.deep.equal(['Yesterday', 'Today']);
    const days = chat.findAll('.divider time').map((time) => time.getAttribute('datetime'));
    for (const day of days) expect(day).to.match(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('writes times and dates as in the region of the page', async () => {
    serveHistory([
      { role: 'assistant', content: 'Hello!', created_at: ago(400) },
      { role: 'user', content: 'Good.', created_at: ago(400) },
    ]);
    const at = new Date(ago(400));
    for (const lang of ['en-US', 'en-GB', 'fr-CA', 'ar-EG', 'de_CH']) {
      const chat = mount({ 'base-url': cannedService, lang });
      await chat.open();
      const time = new Intl.DateTimeFormat(lang.replace('_', '-'), { timeStyle: 'short' }).format(at);
      const day = new Intl.DateTimeFormat(lang.replace('_', '-'), {
        weekday: 'long',
        day: 'numeric',
        month: 'long',
        year: 'numeric',
      });
      await until(() => !!chat.find('.divider')?.textContent.trim(), 'the day');
      expect(chat.find('article')?.ariaLabel, lang).to.contain(`, ${time}`);
      expect(chat.find('.divider')?.textContent.trim(), lang).to.equal(day.format(at));
      chat.element.remove();
    }
  });

  it('starts a new day with its first message', async () => {
    serveHistory([
      { role: 'assistant', content: 'Hello!', created_at: ago(1) },
      { role: 'user', content: 'Good.', created_at: ago(1) },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    chat.write('Good morning!');
    await until(() => chat.find('.divider')?.textContent.trim() === 'Yesterday', 'the day');
    const renderings: string[] = [];
    const observer = new MutationObserver(() => {
      const texts = chat
        .findAll('.divider, article > :last-child')
        .map(({ textContent }) => textContent.trim());
      renderings.push(texts.join());
    });
    observer.observe(chat.part('message-log'), { childList: true, subtree: true });
    await chat.ask('Good morning!');
    await chat.problem(/out of order/);
    observer.disconnect();
    const first = renderings.find((items) => items.includes('Good morning!'));
    expect(first).to.equal('Yesterday,Hello!,Good.,Today,Good morning!');
  });

  it('groups what one author writes within five minutes', async () => {
    const chat = await openHistory();
    const follows = chat.findAll('li[data-key]').map((item) => item.classList.contains('follows'));
    expect(follows).to.deep.equal([false, false, true, false, false, false]);
  });

  it('labels every message with its author and time', async () => {
    const chat = await openHistory({ heading: 'Kim' });
    const labels = chat.findAll('article').map(({ ariaLabel }) => ariaLabel);
    expect(labels[0]).to.match(/^Kim, \d+:\d\d/);
    expect(labels[1]).to.match(/^You, \d+:\d\d/);
    const list = chat.find('[role="list"]');
    for (const article of chat.findAll('article'))
      expect(article.closest('[role="listitem"]')?.closest('[role="list"]')).to.equal(list);
  });

  it('names the tools of the service that an answer used only if the site wants that, each once', async () => {
    const silent = await openHistory();
    expect(silent.find('.used')).to.equal(null);
    await unmountAll();
    const withCalls = await openHistory({ 'show-function-calls': '' });
    await until(() => withCalls.find('.used') !== null, 'the names of the tools');
    expect(withCalls.findAll('.used').map(({ innerText }) => innerText.trim())).to.deep.equal([
      'Used: Look up stock',
    ]);
  });

  it('moves between messages with arrow keys, Home and End, and leaves with Escape', async () => {
    const chat = await openHistory();
    const articles = chat.findAll('article');
    const log = chat.part('message-log');
    log.focus();
    await press('End');
    await until(() => focused(chat) === articles[5], 'the last message');
    await press('ArrowUp');
    await until(() => focused(chat) === articles[4], 'the focus on the previous message');
    await press('Home');
    await until(() => focused(chat) === articles[0], 'the first');
    await press('ArrowDown');
    await until(() => focused(chat) === articles[1], 'the second');
    // Exactly one of them is in the tab order.
    expect(articles.filter(({ tabIndex }) => tabIndex === 0)).to.deep.equal([articles[1]]);
    await press('Escape');
    await until(() => focused(chat) === log, 'the log');
    expect(chat.isOpen).to.be.true;
  });

  it('leaves a link in a list of an answer with arrow keys and Escape', async () => {
    serveHistory([
      { role: 'assistant', content: 'Hello!' },
      { role: 'assistant', content: '- [Sizes](https://example.com/sizes)\n- Colors' },
      { role: 'user', content: 'Good.' },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en' });
    await chat.open();
    await until(() => chat.find('article a') !== null, 'the link');
    chat.find('article a')?.focus();
    await press('ArrowUp');
    expect(focused(chat) === chat.find('article')).to.be.true;
    chat.find('article a')?.focus();
    await press('Escape');
    expect(focused(chat) === chat.part('message-log')).to.be.true;
    expect(chat.isOpen).to.be.true;
  });

  it('scrolls through a message that is longer than the log with arrow keys, then moves on', async () => {
    const chat = await openChat();
    await fill(chat, 30);
    const log = chat.part('message-log');
    const [question, answer] = chat.findAll('article') as [HTMLElement, HTMLElement];
    /** Presses a key until it no longer scrolls, or moves the focus. */
    const pressToEnd = async (key: string): Promise<void> => {
      for (let top = NaN; top !== log.scrollTop && focused(chat) === answer;) {
        top = log.scrollTop;
        await press(key);
      }
    };
    log.focus();
    await press('Home');
    await press('ArrowDown');
    expect(focused(chat) === answer).to.be.true;
    const { bottom, height } = log.getBoundingClientRect();
    expect(answer.getBoundingClientRect().bottom, 'its end').to.be.above(bottom + 40);
    await pressToEnd('ArrowDown');
    expect(focused(chat) === answer).to.be.true;
    expect(answer.getBoundingClientRect().bottom, 'its end').to.be.at.most(bottom + 1);
    await pressToEnd('ArrowUp');
    expect(focused(chat) === question).to.be.true;
    expect(log.scrollTop).to.be.below(height / 2);
  });

  it('marks messages that arrived while the reader had scrolled up, and scrolls to them', async () => {
    const chat = await openChat();
    await fill(chat);
    const next = await scriptAnswer({ chunks: [wait, 'News.'] });
    await chat.ask(next.question);
    const log = chat.part('message-log');
    const distance = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    log.scrollTop = 0;
    await until(() => chat.find('[part="latest-button"]') !== null, 'the button to the latest message');
    expect(chat.part('latest-button').innerText.trim()).to.equal('Latest messages');
    await next.resume();
    await chat.answered(2);
    await until(() => chat.part('latest-button').innerText.trim() === '1 unread message', 'the count');
    expect(log.scrollTop).to.equal(0);
    const dividers = chat.findAll('.divider').map(({ textContent }) => textContent.trim());
    expect(dividers, 'a day of a conversation of today').to.deep.equal(['New messages']);
    await click(chat.part('latest-button'));
    await until(() => chat.find('[part="latest-button"]') === null && distance() < 24, 'the end');
  });

  for (const [title, leave] of [
    ['the visitor restarts', (chat: Chat) => click(chat.part('restart-button'))],
    [
      'the page forgets the conversation',
      async (chat: Chat) => {
        chat.element.forget();
        await until(() => !chat.isOpen, 'the panel to close');
        await chat.open();
      },
    ],
  ] as const)
    it(`begins at the end if the reader has scrolled up and ${title}`, async () => {
      const chat = await openChat();
      await fill(chat);
      chat.part('message-log').scrollTop = 0;
      await until(() => chat.find('[part="latest-button"]') !== null, 'the button to the latest message');
      await leave(chat);
      await until(() => chat.messages.length === 0, 'the new conversation');
      await until(() => chat.find('[part="latest-button"]') === null, 'the button to disappear');
    });

  it('counts messages on the launcher while the panel is closed', async () => {
    const chat = await openChat();
    const answer = await askAndWait(chat);
    chat.element.hide();
    await until(() => !chat.isOpen, 'the panel to close');
    await answer.resume();
    await until(() => chat.find('[part="badge"]')?.textContent === '1', 'the badge');
    expect(chat.launcher.ariaLabel).to.equal('Chat, 1 unread message');
    chat.element.launcherLabel = 'Ask';
    await until(() => chat.launcher.ariaLabel === 'Ask, 1 unread message', 'the new label');
    chat.element.launcherSublabel = 'We are here';
    await until(() => chat.launcher.ariaLabel === 'Ask We are here, 1 unread message', 'its second line');
    chat.element.launcherLabel = null;
    await until(() => chat.launcher.ariaLabel === 'We are here, 1 unread message', 'the second line alone');
    chat.element.lang = 'de';
    await until(() => chat.launcher.ariaLabel === 'We are here, 1 ungelesene Nachricht', 'the new language');
    await click(chat.launcher);
    await chat.answered(1);
    await until(() => chat.find('[part="badge"]') === null, 'the badge to disappear');
    expect(chat.launcher.ariaLabel ?? '').not.to.contain('unread');
  });

  it('announces the number of unread messages while the panel is closed', async () => {
    const chat = await openChat();
    await fill(chat);
    const lines = announcementsIn(chat);
    const answer = await askAndWait(chat);
    chat.element.hide();
    await until(() => !chat.isOpen, 'the panel to close');
    await answer.resume();
    await until(() => lines.length > 0, 'the announcement');
    expect(chat.find('.root > [role="status"]')?.checkVisibility({ visibilityProperty: true })).to.be.true;
    const next = await scriptAnswer({ chunks: ['And I stay.'] });
    chat.element.send(next.question);
    await until(() => lines.length > 1, 'the next announcement');
    expect(lines).to.deep.equal(['1 unread message', '2 unread messages']);
    await chat.open();
    await until(() => chat.find('[part="badge"]') === null, 'the badge to disappear');
    expect(chat.announcement, 'a count of messages that were read').to.equal('');
  });

  it('counts messages while the page is hidden, until it is visible again', async () => {
    const chat = await openChat();
    const answer = await scriptAnswer({ chunks: [wait, 'Here I am.'] });
    await chat.ask(answer.question);
    const setHidden = (isHidden: boolean): void => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    setHidden(true);
    try {
      await answer.resume();
      await until(() => chat.find('[part="badge"]')?.textContent === '1', 'the badge');
      setHidden(false);
      await until(() => chat.find('[part="badge"]') === null, 'the badge to disappear');
    } finally {
      Reflect.deleteProperty(document, 'hidden');
    }
  });

  it('counts no messages that an inline chat shows', async () => {
    const chat = mount({
      'base-url': modelService.url,
      'assistant-id': modelService.assistantThatShows('no-greeting'),
      inline: '',
    });
    const answer = await scriptAnswer({ chunks: ['Here I am.'] });
    await chat.ready();
    await chat.ask(answer.question);
    await chat.answered(1);
    const stored = (): string => localStorage.getItem(conversationKey(modelService.url)) ?? '';
    await until(() => stored().includes('"seen":1'), 'the answer to be read');
    expect(stored()).to.contain('"unread":0');
  });

  it('counts messages while the page hides an open chat, until it shows it again', async () => {
    const chat = await openChat();
    const answer = await askAndWait(chat);
    chat.element.hidden = true;
    await until(() => !chat.isOpen, 'the hidden chat');
    await answer.resume();
    await until(() => chat.find('[part="badge"]')?.textContent === '1', 'the badge');
    chat.element.hidden = false;
    await until(() => chat.find('[part="badge"]') === null, 'the badge to disappear');
  });

  it('announces every sentence of a growing answer once, when it is complete', async () => {
    const chat = await openChat();
    await fill(chat);
    const lines = announcementsIn(chat);
    const answer = await scriptAnswer({
      chunks: [
        'It weighs **1.2 kg',
        wait,
        '**, says Dr. Berg. It is',
        wait,
        ' in stock. And',
        wait,
        ' so on.',
      ],
    });
    await chat.ask(answer.question);
    const waitForAnswer = (text: string) => until(() => chat.messages.at(-1)?.endsWith(text) ?? false, text);
    await waitForAnswer('kg');
    await answer.resume();
    await until(() => lines.length === 1, 'the first sentence');
    await answer.resume();
    await until(() => lines.length === 2, 'the second sentence');
    await answer.resume();
    await until(() => lines.length === 3, 'the rest');
    expect(lines).to.deep.equal(['It weighs 1.2 kg, says Dr. Berg.', 'It is in stock.', 'And so on.']);
  });

  it('announces the sentences of a growing answer also while another message waits for its own', async () => {
    const chat = await openChat();
    const lines = announcementsIn(chat);
    const announced = (sentence: string) =>
      until(
        () => lines.includes(sentence),
        () => `"${sentence}"; announced: ${lines.join(' / ')}`,
      );
    const answer = await scriptAnswer({
      chunks: ['It is', wait, ' in stock. And', wait, ' it is blue. And', wait, ' so on.'],
    });
    await chat.ask(answer.question);
    await until(() => chat.messages.at(-1)?.endsWith('It is') ?? false, 'the beginning of the answer');
    await chat.ask('Thank you');
    await until(() => chat.messages.at(-1) === 'user: Thank you', 'the message that waits');
    await answer.resume();
    await announced('It is in stock.');
    await answer.resume();
    await announced('And it is blue.');
    expect(chat.messages.some((text) => text.endsWith('so on.'))).to.be.false;
    await answer.resume();
    await chat.answered(2);
  });

  // No spaces follow the sentences, and the chat may be in another language.
  const cases: [name: string, lang: string, chunks: string[], sentences: string[]][] = [
    [
      'Chinese',
      'zh',
      ['我们九点', '开门。周日', '休息！您', '还想知道什么？'],
      ['我们九点开门。', '周日休息！', '您还想知道什么？'],
    ],
    [
      'Japanese',
      'en',
      ['9時に**開', 'き**ます。「はい', '。」どうぞ', '！'],
      ['9時に開きます。', '「はい。」', 'どうぞ！'],
    ],
  ];
  for (const [name, lang, chunks, sentences] of cases)
    it(`announces the sentences of an answer in ${name} one by one`, async () => {
      const chat = await openChat(lang);
      await fill(chat);
      const lines = announcementsIn(chat);
      const answer = await scriptAnswer({
        chunks: chunks.flatMap((chunk, index) => (index === 0 ? chunk : [wait, chunk])),
      });
      await chat.ask(answer.question);
      for (const [index, sentence] of sentences.entries()) {
        const shown = chunks[index]?.replaceAll('*', '') ?? '';
        await until(() => chat.messages.at(-1)?.endsWith(shown) ?? false, `"${shown}" to show`);
        expect(lines, 'no half sentence').to.deep.equal(sentences.slice(0, index));
        await answer.resume();
        await until(
          () => lines.length === index + 1,
          `"${sentence}" to be announced; announced: ${lines.join(' / ')}`,
        );
      }
      expect(lines).to.deep.equal(sentences);
    });
});
