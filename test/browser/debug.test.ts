import { expect } from '@open-wc/testing';
import { faulty, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { FakeRecognition, replaceInWindow } from '../support/chat/fake-voice.ts';

const methods = ['debug', 'log', 'info', 'warn', 'error', 'groupCollapsed', 'table'] as const;
const original = { ...console };

/** The logged lines; tables are JSON. */
let lines: string[] = [];

describe('debug', () => {
  beforeEach(() => {
    lines = [];
    for (const method of methods)
      console[method] = (value: unknown) => {
        lines.push(typeof value === 'string' ? value : JSON.stringify(value));
      };
  });
  afterEach(async () => {
    await unmountAll();
    Object.assign(console, original);
  });

  it('logs nothing unless the site asks for it', async () => {
    await converse(mount({ lang: 'en' }));
    expect(lines).to.deep.equal([]);
  });

  it('logs the settings of the chat and their sources', async () => {
    const chat = mount({ debug: '', color: 'nonsense', heading: 'Ask us', 'user-key': 'ada@example.com' });
    chat.element.setAttribute('assitant', 'x');
    chat.element.context = { secret: 'of the page' };
    await chat.open();
    await until(() => output().includes('Settings:'), 'the settings');
    await until(() => last()['texts']?.value === 'en', 'the language');
    const settings = last();
    expect(settings['heading']).to.deep.equal({ value: 'Ask us', from: 'attribute' });
    expect(settings['color']?.from).to.contain('since the attribute cannot be used: nonsense');
    expect(settings['base-url']?.from).to.equal('attribute');
    expect(settings['assitant']?.from).to.contain('no such attribute');
    expect(settings['context']).to.deep.equal({ value: 'secret', from: 'property' });
    expect(output()).not.to.contain('ada@example.com').and.not.to.contain('of the page');
  });

  for (const color of ['#E11D48', ' rebeccapurple ', 'hsl(347 77% 50%)'])
    it(`names the attribute as the source of the color ${color}`, async () => {
      await mount({ debug: '', color }).open();
      await until(() => last()['color'] !== undefined, 'the settings');
      expect(last()['color']?.from).to.equal('attribute');
    });

  it('logs what happens, with timings and without contents', async () => {
    const chat = mount({ debug: '' });
    await converse(chat);
    await until(() => /Message 3 .*complete after \d+ ms/.test(output()), 'the answer');
    expect(output())
      .to.match(/The conversation is open after \d+ ms, with 1 messages\./)
      .and.match(/Message 2 \(22 characters\) is sending\./)
      .and.match(/Message 2 \(22 characters\) is sent\./);
    // On a busy machine, WebKit has omitted the request of a message.
    await until(() => /Asked the service for conversations/.test(output()), 'a request');
    expect(output()).not.to.contain('deliver on Saturdays');
    const sent = JSON.stringify(localStorage);
    const [id = 'no id'] = /(?<="conversationId\\?":\\?")[\da-f-]{36}/.exec(sent.replaceAll('\\', '')) ?? [];
    expect(id).to.match(/^[\da-f-]{36}$/);
    expect(output()).not.to.contain(id);
  });

  it('logs the files of the chat that have loaded', async () => {
    const restoreWindow = replaceInWindow({ SpeechRecognition: FakeRecognition });
    try {
      await mount({ debug: '', lang: 'de', voice: '' }).open();
      for (const name of ['panel', 'messaging', 'extras', 'voice', 'de'])
        await until(
          () => new RegExp(`Loaded chunks/${name}-[\\da-f]+\\.js \\(.+\\) after \\d+ ms\\.`).test(output()),
          `the file ${name}`,
        );
    } finally {
      restoreWindow();
    }
  });

  it('logs problems and what the site’s owner can do', async () => {
    const chat = mount({ debug: '', 'base-url': faulty('server-error') });
    await chat.open();
    await until(
      () => /unavailable: “.*” The service has a problem: see its log\./.test(output()),
      'the advice',
    );
  });

  it('logs that the page canceled a message', async () => {
    const chat = mount({ debug: '' });
    await chat.open();
    await chat.answered(1);
    chat.element.addEventListener('chat-send', (event) => {
      event.preventDefault();
    });
    chat.write('Hello');
    chat.input.form?.requestSubmit();
    await until(() => output().includes('The page prevented chat-send'), 'the reason');
  });

  it('stops logging when the attribute is removed, and resumes when the element is inserted again', async () => {
    const chat = mount({ debug: '' });
    await chat.open();
    await chat.answered(1);
    await until(
      () => output().includes('The chat was opened.') || output().includes('is open after'),
      'a line',
    );
    chat.element.debug = false;
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
    lines = [];
    await chat.ask('Do you deliver on Saturdays?');
    await chat.answered(2);
    expect(lines).to.deep.equal([]);
    chat.element.remove();
    await Promise.resolve();
    document.body.append(chat.element);
    chat.element.debug = true;
    chat.element.open = false;
    await until(() => output().includes('The chat was closed.'), 'a line');
  });
});

async function converse(chat: Chat): Promise<void> {
  await chat.open();
  await chat.answered(1);
  await chat.ask('deliver on Saturdays??');
  await chat.answered(2);
}

function output(): string {
  return lines.join('\n');
}

/** The last table of settings. */
function last(): Record<string, { value: string; from: string }> {
  const table = lines.filter((line) => line.startsWith('{"')).at(-1) ?? '{}';
  return JSON.parse(table) as Record<string, { value: string; from: string }>;
}
