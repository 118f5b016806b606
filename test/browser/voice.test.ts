import { expect } from '@open-wc/testing';
import { faulty, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import {
  FakeRecognition,
  FakeSynthesis,
  FakeUtterance,
  replaceInWindow,
} from '../support/chat/fake-voice.ts';
import { click, engine, press, type } from '../support/browser/page.ts';

let restoreWindow: () => void = () => undefined;
const silent = { SpeechRecognition: undefined, webkitSpeechRecognition: undefined };

describe('dictation', () => {
  beforeEach(() => {
    FakeRecognition.current = undefined;
    restoreWindow = replaceInWindow({ ...silent, SpeechRecognition: FakeRecognition });
  });
  afterEach(async () => {
    await unmountAll();
    restoreWindow();
    expect(FakeRecognition.running, 'recognitions that still listen').to.equal(0);
  });

  it('is not offered unless the site asks for it', async () => {
    const chat = mount();
    await chat.open();
    chat.element.voice = true;
    await until(() => chat.find('[part="dictate-button"]') !== null, 'the button');
    const bottomOf = (part: string): number => chat.part(part).getBoundingClientRect().bottom;
    await until(
      () => bottomOf('dictate-button') === bottomOf('send-button'),
      'both buttons to be in one row',
    );
    chat.element.voice = null;
    await until(() => chat.find('[part="dictate-button"]') === null, 'the button to disappear');
    // The page has already loaded the module of the button, so it would be there before the greeting.
    const other = mount();
    await other.open();
    await other.answered(1);
    await new Promise(requestAnimationFrame);
    expect(other.find('[part="dictate-button"]')).to.equal(null);
  });

  it('appends spoken words to the draft while the visitor speaks', async () => {
    const chat = await open({ lang: 'en-GB' });
    chat.write('I need');
    await click(chat.part('dictate-button'));
    expect(listening().lang).to.equal('en-GB');
    await until(() => note(chat) === 'Listening…', 'the note');
    listening().hear('two hats');
    await until(() => chat.input.value === 'I need two hats', 'the interim result');
    listening().hear('two caps', true);
    listening().hear('in blue');
    await until(() => chat.input.value === 'I need two caps in blue', 'the corrected text');
    expect(chat.part('dictate-button').title).to.equal('Stop dictating');
    await click(chat.part('dictate-button'));
    await until(() => chat.part('dictate-button').title === 'Dictate', 'the end');
    expect(note(chat)).to.equal('');
    expect(chat.input.value).to.equal('I need two caps in blue');
  });

  it('appends spoken words without a space in languages without spaces', async () => {
    const chat = await open({ lang: 'ja' });
    chat.write('帽子を ');
    await click(chat.part('dictate-button'));
    listening().hear('二つ', true);
    listening().hear('ください');
    await until(() => chat.input.value === '帽子を二つください', 'the text');
  });

  const androidAgent = 'Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0.0.0 Mobile';
  for (const [title, userAgent, text] of [
    [
      'writes a phrase once if Chrome for Android reports it again as it grows',
      androidAgent,
      'Testing one two and three',
    ],
    [
      'keeps repeated phrases in other browsers',
      navigator.userAgent,
      'testing testing Testing one Testing one two and three',
    ],
  ] as const)
    it(title, async () => {
      Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true });
      try {
        const chat = await open();
        await click(chat.part('dictate-button'));
        for (const phrase of ['testing', 'testing', '', 'Testing one', 'Testing one two'])
          listening().hear(phrase, true);
        listening().hear('and three');
        await until(() => chat.input.value.endsWith('and three'), 'the text');
        expect(chat.input.value).to.equal(text);
        await click(chat.part('dictate-button'));
      } finally {
        Reflect.deleteProperty(navigator, 'userAgent');
      }
    });

  for (const [title, userAgent, requests] of [
    ['leaves the microphone to the recognizer of Android', androidAgent, 0],
    ['measures the volume in other browsers', navigator.userAgent, 1],
  ] as const)
    it(title, async () => {
      const { permissions, mediaDevices } = navigator;
      let requested = 0;
      Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true });
      permissions.query = () => Promise.resolve({ state: 'granted' } as PermissionStatus);
      mediaDevices.getUserMedia = () => {
        requested++;
        return Promise.reject(new Error('There is no microphone.'));
      };
      try {
        const chat = await open();
        await click(chat.part('dictate-button'));
        listening().hear('two caps');
        await until(() => chat.input.value === 'two caps', 'the text');
        expect(requested).to.equal(requests);
        await click(chat.part('dictate-button'));
      } finally {
        Reflect.deleteProperty(navigator, 'userAgent');
        Reflect.deleteProperty(permissions, 'query');
        Reflect.deleteProperty(mediaDevices, 'getUserMedia');
      }
    });

  it('leaves the focus in the composer, where Enter sends the text', async () => {
    const chat = await open();
    chat.input.focus();
    await click(chat.part('dictate-button'));
    expect(chat.element.shadowRoot?.activeElement).to.equal(chat.input);
    listening().hear('Do you deliver?');
    await until(() => chat.input.value !== '', 'the dictated text');
    await press('Enter');
    await until(() => chat.messages.includes('user: Do you deliver?'), 'the message');
    expect(FakeRecognition.running).to.equal(0);
    expect(chat.input.value).to.equal('');
  });

  it('ends on Escape, which closes the chat only at the next press', async () => {
    const chat = await open();
    chat.input.focus();
    await click(chat.part('dictate-button'));
    // One that cancels the composition of an input method does not count. Key code 229 is the only sign in Safari.
    chat.input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 229, bubbles: true }));
    expect(FakeRecognition.running).to.equal(1);
    await press('Escape');
    await until(() => FakeRecognition.running === 0, 'the end');
    expect(chat.isOpen).to.equal(true);
    await press('Escape');
    await until(() => !chat.isOpen, 'the chat to close');
  });

  it('ends when the visitor types, and changes nothing afterwards', async () => {
    const chat = await open();
    chat.input.focus();
    await click(chat.part('dictate-button'));
    const recognition = listening();
    recognition.hear('Hello');
    await until(() => chat.input.value === 'Hello', 'the dictated text');
    await type('!');
    expect(FakeRecognition.running).to.equal(0);
    recognition.hear('something else', true);
    expect(chat.element.shadowRoot?.querySelector('textarea')?.value).to.equal('Hello!');
  });

  for (const [cause, end] of [
    ['the chat closes', (chat: Chat) => (chat.element.open = false)],
    [
      'the chat is removed',
      (chat: Chat) => {
        chat.element.remove();
      },
    ],
    ['the site no longer wants it', (chat: Chat) => (chat.element.voice = null)],
    ['the visitor leaves the page', () => dispatchEvent(new PageTransitionEvent('pagehide'))],
    ['another person uses the browser', (chat: Chat) => (chat.element.userKey = 'ben')],
  ] as const)
    it(`ends when ${cause}`, async () => {
      const chat = await open();
      await click(chat.part('dictate-button'));
      expect(FakeRecognition.running).to.equal(1);
      end(chat);
      await until(() => FakeRecognition.running === 0, 'the end');
    });

  it('in an inline chat, writes nothing after `forget()`', async () => {
    const chat = mount({ voice: '', inline: '' });
    await chat.ready();
    await chat.answered(1);
    await until(() => chat.find('[part="dictate-button"]') !== null, 'the button');
    await click(chat.part('dictate-button'));
    const recognition = listening();
    recognition.hear('My name is Ada');
    await until(() => chat.input.value !== '', 'the dictated text');
    chat.element.forget();
    await until(() => chat.find('textarea') !== null && chat.input.value === '', 'an empty field');
    recognition.hear('My name is Ada Lovelace', true);
    await chat.answered(1);
    expect(chat.input.value).to.equal('');
    expect(JSON.stringify(localStorage)).not.to.contain('Ada');
  });

  it('keeps a failed message that the visitor moves back into the composer', async () => {
    const chat = await open({ 'base-url': faulty('engine-failed') });
    await chat.ask('A message');
    await until(() => chat.find('[part="edit-button"]') !== null, 'the failed message');
    await click(chat.part('dictate-button'));
    const recognition = listening();
    recognition.hear('and');
    await until(() => chat.input.value === 'and', 'the dictated text');
    await click(chat.part('edit-button'));
    await until(() => chat.input.value.includes('A message'), 'the message');
    recognition.hear('and more', true);
    expect(chat.input.value).to.contain('A message');
  });

  for (const [error, text] of [
    ['not-allowed', 'The microphone is blocked'],
    ['no-speech', 'I didn’t catch that'],
    ['network', 'This browser does not support this feature'],
  ] as const)
    it(`explains the error ${error}`, async () => {
      const chat = await open();
      await click(chat.part('dictate-button'));
      listening().fail(error);
      await until(() => note(chat).includes(text), 'the reason');
      expect(chat.part('dictate-button').title).to.equal('Dictate');
      chat.write('H');
      await until(() => note(chat) === '', 'the reason to disappear');
    });

  for (const [cause, act] of [
    [
      'closes and opens the chat',
      async (chat: Chat) => {
        chat.element.hide();
        await until(() => !chat.isOpen, 'the chat to close');
        chat.element.show();
      },
    ],
    [
      'starts over',
      (chat: Chat) => {
        chat.element.restart();
      },
    ],
  ] as const)
    it(`explains an error until the visitor ${cause}`, async () => {
      const chat = await open();
      await click(chat.part('dictate-button'));
      listening().fail('no-speech');
      await until(() => note(chat) !== '', 'the reason');
      await act(chat);
      await chat.ready();
      await until(() => note(chat) === '', 'the reason to disappear');
    });

  it('explains that the browser cannot listen', async () => {
    restoreWindow();
    // Firefox is such a browser.
    if (engine !== 'firefox') restoreWindow = replaceInWindow(silent);
    const chat = await open();
    await click(chat.part('dictate-button'));
    await until(() => note(chat) === 'This browser does not support this feature.', 'the reason');
  });

  it('shows the volume, and releases the microphone', async function () {
    // Other engines provide no audio in tests.
    if (engine !== 'chromium') this.skip();
    const context = new AudioContext();
    const source = context.createOscillator();
    const microphone = context.createMediaStreamDestination();
    const { stream } = microphone;
    source.connect(microphone);
    source.start();
    const { permissions, mediaDevices } = navigator;
    permissions.query = () => Promise.resolve({ state: 'granted' } as PermissionStatus);
    mediaDevices.getUserMedia = () => Promise.resolve(stream);
    try {
      const chat = await open();
      await click(chat.part('dictate-button'));
      await context.resume();
      const level = (): number => Number(chat.part('dictate-button').style.getPropertyValue('--_level'));
      await until(() => level() > 0.5, 'the level of a loud tone');
      await click(chat.part('dictate-button'));
      await until(() => stream.getTracks().every(({ readyState }) => readyState === 'ended'), 'the end');
      await until(() => level() === 0, 'silence');
    } finally {
      // Their own methods come from the prototypes.
      Reflect.deleteProperty(permissions, 'query');
      Reflect.deleteProperty(mediaDevices, 'getUserMedia');
      await context.close();
    }
  });
});

describe('reading aloud', () => {
  let synthesis: FakeSynthesis;
  beforeEach(() => {
    synthesis = new FakeSynthesis();
    restoreWindow = replaceInWindow({ speechSynthesis: synthesis, SpeechSynthesisUtterance: FakeUtterance });
  });
  afterEach(async () => {
    await unmountAll();
    restoreWindow();
    expect(synthesis.queue, 'pending utterances').to.deep.equal([]);
  });

  it('speaks an answer as it shows, in a voice of its language, until the end', async () => {
    const chat = await open({ lang: 'en-GB' });
    await chat.ask('What does delivery cost?');
    await chat.answered(2);
    await until(() => buttons(chat).length === 2, 'a button per answer');
    await click(buttons(chat)[1] as HTMLElement);
    const shown = chat.messages.at(-1)?.replace('assistant: ', '') ?? '';
    const spokenText = synthesis.queue.map(({ text }) => text).join(' ');
    expect(letters(spokenText)).to.equal(letters(shown));
    expect(synthesis.queue[0]?.voice?.name).to.equal('Kate');
    await until(() => buttons(chat)[1]?.title === 'Stop reading', 'the stop button');
    synthesis.finish();
    await until(() => buttons(chat)[1]?.title === 'Read aloud', 'the end');
  });

  it('stops by the same button, on Escape, when typing and when closing', async () => {
    const chat = await open();
    const stops = [
      () => click(buttons(chat)[0] as HTMLElement),
      async () => {
        await press('Escape');
        expect(chat.isOpen).to.equal(true);
      },
      async () => {
        chat.input.focus();
        await type('a');
      },
      () => {
        chat.element.open = false;
        return Promise.resolve();
      },
    ];
    for (const stop of stops) {
      await click(buttons(chat)[0] as HTMLElement);
      await until(() => buttons(chat)[0]?.title === 'Stop reading', 'the stop button');
      await stop();
      await until(() => synthesis.queue.length === 0, 'silence');
      await until(() => buttons(chat)[0]?.title === 'Read aloud' || !chat.isOpen, 'the end');
    }
  });

  it('stops when the visitor leaves the page', async () => {
    const chat = await open();
    await click(buttons(chat)[0] as HTMLElement);
    expect(synthesis.queue).not.to.deep.equal([]);
    dispatchEvent(new PageTransitionEvent('pagehide'));
    expect(synthesis.queue).to.deep.equal([]);
    await until(() => buttons(chat)[0]?.title === 'Read aloud', 'the end');
  });

  it('explains that the browser cannot speak', async () => {
    restoreWindow();
    restoreWindow = replaceInWindow({ speechSynthesis: undefined });
    const chat = await open();
    await click(buttons(chat)[0] as HTMLElement);
    await until(() => note(chat) === 'This browser does not support this feature.', 'the reason');
  });
});

async function open(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  const chat = mount({ voice: '', ...attributes });
  await chat.open();
  await chat.answered(1);
  await until(() => chat.find('[part="dictate-button"]') !== null, 'the button');
  return chat;
}

function listening(): FakeRecognition {
  const { current } = FakeRecognition;
  if (current === undefined) throw new Error('Nobody listens.');
  return current;
}

function note(chat: Chat): string {
  return chat.find('.voice-note')?.innerText.trim() ?? '';
}

function buttons(chat: Chat): HTMLElement[] {
  return chat.findAll('[part="read-button"]');
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
