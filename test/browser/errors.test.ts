import { expect } from '@open-wc/testing';
import {
  conversationKey,
  faulty,
  mount,
  nextEvent,
  unmountAll,
  until,
  type Chat,
} from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

const unknownUuid = '00000000-0000-4000-8000-000000000000';

/** Opens the chat although no conversation will open. */
async function openInVain(chat: Chat): Promise<void> {
  chat.element.show();
  await until(() => chat.isOpen && chat.find('textarea') !== null, 'the panel');
}

const storedConversation = () =>
  JSON.parse(localStorage.getItem(conversationKey()) ?? '') as Record<string, unknown>;

describe('an error', () => {
  afterEach(unmountAll);

  const atOpening: [
    title: string,
    attributes: Record<string, string>,
    words: RegExp,
    action: RegExp | undefined,
    code: string,
  ][] = [
    [
      'a missing assistant-id',
      { 'assistant-id': '' },
      /no assistant.*assistant-id/i,
      undefined,
      'assistant-id-missing',
    ],
    [
      'a malformed assistant-id',
      { 'assistant-id': 'my-bot' },
      /my-bot.*is not the ID.*assistant-id/i,
      undefined,
      'assistant-id-malformed',
    ],
    [
      'an unknown assistant',
      { 'assistant-id': unknownUuid },
      /Assistant not found.*assistant-id/,
      /Try again/,
      'assistant-not-found',
    ],
    [
      'an owner without balance',
      { 'assistant-id': service.assistantThatShows('no-balance') },
      /The owner of this site needs to top up.*Insufficient balance\. Please top up your account\./s,
      /Try again/,
      'insufficient-balance',
    ],
    [
      'a page that the owner has not allowed',
      { 'base-url': faulty('origin-not-allowed') },
      /This chat has no assistant.*Origin not allowed: https?:/s,
      undefined,
      'origin-not-allowed',
    ],
    [
      'a server without this interface',
      { 'base-url': location.origin },
      /unreadable(?!.*assistant-id)/s,
      /Try again/,
      'bad-response',
    ],
    ['an HTML page', { 'base-url': faulty('html') }, /unreadable/, /Try again/, 'bad-response'],
    ['an empty answer', { 'base-url': faulty('empty') }, /unreadable/, /Try again/, 'bad-response'],
    ['wrong types', { 'base-url': faulty('wrong-types') }, /unreadable/, /Try again/, 'bad-response'],
    [
      'a truncated answer',
      { 'base-url': faulty('truncated') },
      /connection was lost|unreadable/,
      /Try again/,
      '',
    ],
    [
      'an endless answer',
      { 'base-url': faulty('too-large') },
      /unreadable/,
      /Try again/,
      'response-too-large',
    ],
    [
      'a broken server',
      { 'base-url': faulty('server-error') },
      /has a problem.*Server Error/s,
      /Try again/,
      'unavailable',
    ],
    [
      'an unreachable server',
      { 'base-url': faulty('unreachable') },
      /connection was lost/,
      /Try again/,
      'network',
    ],
  ];
  for (const [title, attributes, words, action, code] of atOpening) {
    it(`explains ${title}, inline, with what to do next`, async () => {
      const chat = mount(attributes);
      const event = nextEvent<{ code: string; message: string }>(chat.element, 'chat-error');
      await openInVain(chat);
      await chat.problem(words);
      expect(chat.problems).to.have.length(1);
      if (action === undefined) expect(chat.find('[part="retry-button"]')).to.equal(null);
      else expect(chat.part('retry-button').innerText).to.match(action);
      if (code) expect((await event).code).to.equal(code);
      expect(chat.find('[part="problem"] [role="alert"]')).not.to.equal(null);
      expect(chat.problems[0], 'of a message, where there is none').not.to.match(/your message/i);
      if (code.startsWith('assistant-id')) {
        // There is no assistant to write to.
        for (const part of ['composer', 'restart-button', 'menu-button'])
          expect(chat.part(part).checkVisibility(), part).to.be.false;
        chat.element.send('Can you hear me?');
        chat.element.assistantId = service.assistantThatShows('greeting');
        await chat.ready();
        await until(() => chat.input.value === 'Can you hear me?', 'the message of the page');
        expect(chat.input.checkVisibility()).to.be.true;
        return;
      }
      // A message written meanwhile is not lost.
      await chat.ask('Can you hear me?');
      await until(() => chat.messages.includes('user: Can you hear me?'), 'the message to be listed');
      if (code === 'insufficient-balance') await chat.problem(/Your message is saved\./);
    });
  }

  it('explains that the answer takes too long', async () => {
    // The time limit of 20 seconds expires at once.
    const realSetTimeout = window.setTimeout.bind(window);
    const immediateTimeout = ((task: () => void, delay?: number) =>
      realSetTimeout(task, delay === 20_000 ? 0 : delay)) as typeof window.setTimeout;
    const chat = mount({ 'base-url': faulty('timeout') });
    window.setTimeout = immediateTimeout;
    try {
      await openInVain(chat);
      await chat.problem(/is taking too long/);
    } finally {
      window.setTimeout = realSetTimeout;
    }
  });

  it('of the service is retried with the assistant, and the message is kept', async () => {
    const chat = mount({ 'assistant-id': service.assistantThatShows('no-balance') });
    await openInVain(chat);
    await chat.problem(/Insufficient/);
    await chat.ask('What are your opening hours?');
    chat.element.assistantId = service.assistantThatShows('no-greeting');
    await chat.ready();
    // Another assistant is another conversation; the message stays with the first one.
    expect(chat.messages).to.deep.equal([]);
    chat.element.assistantId = service.assistantThatShows('no-balance');
    await until(
      () => chat.messages.includes('user: What are your opening hours?'),
      'the message of the first assistant',
    );
  });

  for (const [kind, words, code] of [
    ['balance-spent', /Insufficient balance\. Please top up your account\./, 'insufficient-balance'],
    ['limit-reached', /reached its limit for today\..*Your message is saved\./s, 'limit-reached'],
    [
      'engine-failed',
      /The service has a problem\.(?!.*Failed to process message).*the language model is not available\./s,
      'engine-failed',
    ],
    ['html-on-message', /unreadable/, 'bad-response'],
    ['server-error-on-message', /The service has a problem\..*Server Error/s, 'unavailable'],
    ['unreachable-on-message', /connection was lost/, 'network'],
    ['wrong-types-on-message', /unreadable/, 'bad-response'],
  ] as const) {
    it(`on a message (${kind}) shows at that message, which is kept`, async () => {
      const chat = mount({ 'base-url': faulty(kind) });
      await chat.open();
      const event = nextEvent<{ code: string }>(chat.element, 'chat-error');
      await chat.ask('Hello?');
      await chat.problem(words);
      expect((await event).code).to.equal(code);
      expect(chat.find('li.user[data-status="failed"] small.state')?.innerText).to.contain('Not sent');
      expect(chat.part('retry-button').innerText).to.contain('Try again');
      chat.element.remove();
      document.body.append(chat.element);
      expect(chat.messages).to.include('user: Hello?');
    });
  }

  it('that cut off an answer is repaired from the history', async () => {
    const chat = mount({ 'base-url': faulty('cut-line') });
    await chat.open();
    await chat.ask('How do I care for my jacket?');
    await until(() => chat.messages.some((text) => text.includes('still damp')), 'the whole answer');
    expect(chat.messages.filter((text) => text.startsWith('user'))).to.have.length(1);
    expect(chat.problems).to.deep.equal([]);
  });

  it('of too many requests counts down and then retries', async () => {
    const chat = mount({ 'base-url': faulty('too-many-requests') });
    await chat.open();
    await chat.ask('Hello');
    await chat.problem(/^Too many messages in a short time\.(?!.*Too Many Attempts)/s);
    await chat.problem(/Trying again in [1-5] s/);
    const seconds = (): number => Number(/in (\d) s/.exec(chat.problems.join())?.[1]);
    const first = seconds();
    await until(() => seconds() < first, 'a lower number of seconds');
    await until(
      () => chat.messages.some((text) => text.includes('in one piece')),
      'the answer after the wait',
    );
    expect(chat.problems).to.deep.equal([]);
  });

  it('of a lost conversation offers a new one, which receives the message', async () => {
    const chat = mount({ 'base-url': faulty('conversation-not-found') });
    await chat.open();
    await chat.ask('Are you still there?');
    await chat.problem(/Conversation not found/);
    expect(chat.part('retry-button').innerText).to.contain('Start a new conversation');
    expect(chat.problems).to.have.length(1);
    chat.element.baseUrl = service.url;
    await until(() => chat.problems.length === 0, 'the problem to disappear');
  });

  it('of a conversation that was deleted before a reload offers a new one', async () => {
    const first = mount();
    await first.open();
    await first.ask('Hello');
    await first.answered(2);
    await until(() => (storedConversation()['seen'] as number) > 1, 'the answer to be stored as seen');
    first.element.remove();
    localStorage.setItem(
      conversationKey(),
      JSON.stringify({ ...storedConversation(), conversationId: unknownUuid }),
    );
    const chat = mount();
    await openInVain(chat);
    await chat.problem(/Conversation not found/);
    // The message is another try, during which the notice and its button go.
    const again = nextEvent(chat.element, 'chat-error');
    await chat.ask('Hello again');
    await again;
    await chat.problem(/Conversation not found/);
    await click(chat.part('retry-button'));
    await chat.answered(2);
    expect(chat.messages.filter((text) => text.startsWith('user'))).to.deep.equal(['user: Hello again']);
  });

  it('of the service on a message can be retried', async () => {
    const chat = mount({ 'base-url': faulty('engine-failed') });
    await chat.open();
    await chat.ask('Hello');
    await chat.problem(/the language model is not available/);
    const again = nextEvent<{ code: string }>(chat.element, 'chat-error');
    await click(chat.part('retry-button'));
    expect((await again).code).to.equal('engine-failed');
    expect(chat.messages.filter((text) => text.startsWith('user'))).to.have.length(1);
  });

  it('of the network is retried when the browser is online again', async () => {
    const chat = mount({ 'base-url': faulty('unreachable') });
    await openInVain(chat);
    await chat.problem(/connection was lost/);
    let tries = 0;
    chat.element.addEventListener('chat-error', () => tries++);
    dispatchEvent(new Event('online'));
    await until(() => tries === 1, 'another try');
  });

  it('while opening the conversation is reported once, and not again when the page is idle', async () => {
    const chat = mount({ 'base-url': faulty('unreachable') });
    let errors = 0;
    chat.element.addEventListener('chat-error', () => errors++);
    await openInVain(chat);
    await chat.problem(/connection was lost/);
    // A later widget requests its settings after the first one, when the page is idle.
    const other = mount({ 'assistant-id': service.assistantThatShows('settings') });
    await until(() => other.find('.root')?.dataset['theme'] === 'dark', 'the settings of the other widget');
    await chat.problem(/connection was lost/);
    expect(errors).to.equal(1);
  });

  it('of a refused message gives the reason and does not block the next one', async () => {
    const chat = mount({ 'base-url': faulty('message-refused') });
    await chat.open();
    await chat.ask('This is longer than the strict service takes.');
    await chat.problem(/at most 20 characters.*Change your message/s);
    expect(chat.find('[part="retry-button"]')).to.equal(null);
    await chat.ask('Short enough');
    await until(() => chat.messages.some((text) => text.includes('“Short enough”')), 'the answer');
  });
});

describe('the console, if no conversation opens,', () => {
  const { warn } = console;
  let warnings: string[] = [];
  beforeEach(() => {
    warnings = [];
    console.warn = (text: string) => warnings.push(text);
  });
  afterEach(async () => {
    await unmountAll();
    console.warn = warn;
  });

  /** A warning is logged once per page, so each test has an address of its own. */
  const ownAddress = (kind: string, test: string) => faulty(`${test}/../${kind}`);

  it('names the address that cannot be reached and the possible causes, once', async () => {
    const baseUrl = ownAddress('unreachable', 'once');
    const chat = mount({ 'base-url': baseUrl });
    await openInVain(chat);
    await chat.problem(/connection was lost/);
    await until(() => warnings.length > 0, 'the warning');
    expect(warnings[0])
      .to.contain(`${baseUrl}/api/conversations`)
      .and.match(/network: .*base-url.*CORS.*mixed content.*network/);
    const again = nextEvent(chat.element, 'chat-error');
    await click(chat.part('retry-button'));
    await again;
    const other = mount({ 'base-url': ownAddress('html', 'once') });
    await openInVain(other);
    await until(() => warnings.length > 1, 'the warning of another address');
    expect(warnings[1]).to.match(/bad-response: .*base-url/);
    expect(warnings).to.have.length(2);
  });

  it('names the address of a server without this interface, and its status', async () => {
    // A path of its own, since the warning of this address may have been logged.
    const baseUrl = `${location.origin}/nothing/here`;
    await openInVain(mount({ 'base-url': baseUrl }));
    await until(() => warnings.length > 0, 'the warning');
    expect(warnings[0])
      .to.contain(`${baseUrl}/api/conversations`)
      .and.contain('404')
      .and.contain('check base-url');
  });

  for (const [baseUrl, suggestion] of [
    ['assistants.example', 'https://assistants.example'],
    ['127.0.0.1:4600', 'http://127.0.0.1:4600'],
    ['localhost:4600/chat', 'http://localhost:4600/chat'],
    ['localhost.example', 'https://localhost.example'],
    ['https:/assistants.example', 'https://assistants.example'],
  ] as const)
    it(`says that base-url="${baseUrl}" is no complete address`, async () => {
      await openInVain(mount({ 'base-url': baseUrl }));
      await until(() => warnings.length > 0, 'the warning');
      expect(warnings).to.deep.equal([
        `<voice-assistant-chat> base-url="${baseUrl}" is no complete address: write base-url="${suggestion}".`,
      ]);
    });

  it('does not warn while the browser is offline', async () => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      const chat = mount({ 'base-url': ownAddress('unreachable', 'offline') });
      const event = nextEvent<{ code: string }>(chat.element, 'chat-error');
      await openInVain(chat);
      expect((await event).code).to.equal('offline');
      // Its warning would come after that of the first chat.
      await openWithWarning(ownAddress('unreachable', 'online'));
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
  });

  it('does not warn if a message fails later', async () => {
    const chat = mount({ 'base-url': faulty('unreachable-on-message') });
    await chat.open();
    await chat.ask('Hello?');
    await chat.problem(/connection was lost/);
    await openWithWarning(ownAddress('unreachable', 'later'));
  });

  /** Opens another chat, whose warning must be the only one. */
  async function openWithWarning(baseUrl: string): Promise<void> {
    Reflect.deleteProperty(navigator, 'onLine');
    await openInVain(mount({ 'base-url': baseUrl }));
    await until(() => warnings.length > 0, 'the warning');
    expect(warnings[0]).to.contain(baseUrl);
    expect(warnings).to.have.length(1);
  }
});
