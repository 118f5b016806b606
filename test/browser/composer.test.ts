import { expect } from '@open-wc/testing';
import { forceMedia } from '../support/chat/force-media.ts';
import { faulty, mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press, supports, tap, type } from '../support/browser/page.ts';
import { put, removeInserted } from '../support/chat/page-layout.ts';

const realMatch = window.matchMedia.bind(window);

/** Makes the device look like a phone to the chat from now on. */
function pretendPhone(): void {
  window.matchMedia = (query) => realMatch(query.replace('(pointer: coarse)', 'all'));
}

/** Collects the texts of `chat-send` events from now on. */
function collectSent(chat: Chat): string[] {
  const sent: string[] = [];
  chat.element.addEventListener('chat-send', ({ detail }) => sent.push(detail.text));
  return sent;
}

const focused = (chat: Chat): Element | null | undefined => chat.element.shadowRoot?.activeElement;

describe('the composer', () => {
  afterEach(async () => {
    window.matchMedia = realMatch;
    removeInserted();
    await unmountAll();
  });

  it('breaks the line with Shift+Enter and sends nothing empty', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    chat.input.focus();
    await press('Enter');
    await type('  ');
    await press('Enter');
    expect(chat.messages).to.have.length(1);
    chat.input.value = '';
    await type('one');
    await press('Shift+Enter');
    await type('two');
    expect(chat.input.value).to.contain('one\ntwo');
    await press('Enter');
    await until(() => chat.messages.some((text) => text.includes('one\ntwo')), 'both lines in one message');
    expect(chat.input.value).to.equal('');
    expect(chat.element.shadowRoot?.activeElement === chat.input).to.be.true;
  });

  it('requests the answer before it shows the message, which takes time on a slow device', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    await chat.ask('Do you have gift cards?');
    await chat.answered(2);
    const fetch = window.fetch.bind(window);
    const shown: boolean[] = [];
    window.fetch = (...args) => {
      const [{ method = '' } = {}] = args.slice(1) as RequestInit[];
      if (method === 'POST') shown.push(chat.messages.some((text) => text.includes('And vouchers?')));
      return fetch(...args);
    };
    try {
      chat.input.focus();
      await type('And vouchers?');
      await press('Enter');
      await chat.answered(3);
    } finally {
      window.fetch = fetch;
    }
    expect(shown).to.deep.equal([false]);
  });

  it('leaves the field empty at once, for a visitor who goes on typing', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    chat.write('one');
    chat.part('composer').dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    expect(chat.input.value).to.equal('');
  });

  it('does not send a text that an input method is still composing, in any engine', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    const sent = collectSent(chat);
    chat.input.value = 'にほん';
    chat.input.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    const enter = (init: KeyboardEventInit): boolean => {
      const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init });
      chat.input.dispatchEvent(event);
      return event.defaultPrevented;
    };
    // The Enter key that ends a composition belongs to the input method, so it must not be canceled.
    expect(enter({ isComposing: true })).to.be.false;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only sign in Safari
    expect(enter({ keyCode: 229 })).to.be.false;
    expect([sent, chat.input.value]).to.deep.equal([[], 'にほん']);
    // The next Enter sends.
    expect(enter({})).to.be.true;
    expect(sent).to.deep.equal(['にほん']);
  });

  it('keeps the line breaks of pasted text', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    const sent = collectSent(chat);
    const source = put('textarea', '');
    const text = 'My order:\n\n  2 bags\n  1 tent';
    source.value = text;
    source.focus();
    source.select();
    await press('Control+c');
    chat.input.focus();
    await press('Control+v');
    await until(() => chat.input.value === text, 'the pasted text');
    await press('Enter');
    expect(sent).to.deep.equal([text]);
    await until(() => chat.messages.includes(`user: ${text}`), 'the message, line by line');
  });

  it('keeps the focus when the send button is clicked', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    expect(focused(chat) === chat.input).to.be.true;
    chat.write('By mouse');
    await click(chat.part('send-button'));
    await chat.answered(2);
    expect(focused(chat) === chat.input).to.be.true;
  });

  it('leaves the focus elsewhere in the panel when the send button is clicked', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    chat.write('By mouse');
    chat.part('message-log').focus();
    await click(chat.part('send-button'));
    await chat.answered(2);
    expect(focused(chat) === chat.part('message-log')).to.be.true;
  });

  it('keeps the focus, and a phone’s keyboard open, when the send button is tapped', async function () {
    if (!supports.touch) this.skip();
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    pretendPhone();
    const left: string[] = [];
    chat.input.addEventListener('blur', () => left.push('blur'));
    await tap(chat.input);
    await type('By finger');
    await tap(chat.part('send-button'));
    await chat.answered(2);
    expect(chat.messages[1]).to.equal('user: By finger');
    expect(focused(chat) === chat.input).to.be.true;
    expect(left, 'the keyboard would close and open again').to.deep.equal([]);
  });

  it('does not take the focus when something else is tapped', async function () {
    if (!supports.touch) this.skip();
    pretendPhone();
    const chat = mount({ 'base-url': faulty('ended'), 'show-function-calls': '' });
    const entered: string[] = [];
    await chat.open();
    chat.input.addEventListener('focus', () => entered.push(document.activeElement?.localName ?? ''));
    chat.element.suggestions = ['One question'];
    await until(() => chat.find('[part="suggestion"]') !== null, 'a suggestion');
    await tap(chat.part('suggestion'));
    await chat.answered(2);
    await tap(chat.part('message-assistant'));
    await until(() => chat.find('[part="rate-button"]') !== null, 'the tools of the message');
    await tap(chat.part('rate-button'));
    await until(() => chat.part('rate-button').ariaPressed === 'true', 'the rating');
    await tap(chat.part('menu-button'));
    await until(() => chat.find('.menu:popover-open button') !== null, 'the menu');
    await press('Escape');
    chat.element.send('Another question');
    await until(() => chat.find('[part="retry-button"]') !== null, 'the offer of a new conversation');
    await tap(chat.part('retry-button'));
    await until(() => chat.messages[1] === 'user: Another question', 'the new conversation');
    chat.write('By finger');
    await tap(chat.part('send-button'));
    await until(() => chat.messages.includes('user: By finger'), 'the message');
    expect(entered, 'the keyboard would open').to.deep.equal([]);
  });

  it('has a font size of at least 16 pixels, below which phones zoom in', async () => {
    put('style', '').textContent = 'voice-assistant-chat { --voice-assistant-chat-font-size: 11px }';
    const chat = mount();
    chat.element.form = [
      { name: 'first_name', label: 'First name' },
      { name: 'subject', label: 'Subject', type: 'select', options: ['Sizes', 'Returns'] },
      { name: 'details', label: 'Details', type: 'textarea' },
    ];
    chat.element.show();
    await until(() => chat.find('[part="start-button"]') !== null, 'the form');
    const restore = forceMedia(chat, '(pointer: coarse)');
    try {
      const fields = chat.findAll('input, select, textarea');
      expect(fields).to.have.length(4);
      for (const field of fields)
        expect(parseFloat(getComputedStyle(field).fontSize), field.outerHTML).to.be.at.least(16);
      expect(getComputedStyle(chat.part('form')).fontSize, 'the rest is as small as the site wants').to.equal(
        '11px',
      );
    } finally {
      restore();
    }
  });

  it('counts characters near the limit, and keeps and explains a text that is too long', async () => {
    const chat = mount();
    await chat.open();
    const note = (): string => chat.find('#composer-note')?.innerText ?? '';
    chat.write('a'.repeat(1799));
    await until(() => note() === '', 'no count yet');
    chat.write('a'.repeat(1900));
    await until(() => note().includes('1,900 of 2,000'), 'the count');
    chat.write('😀'.repeat(2000));
    await until(() => note().includes('2,000 of 2,000'), 'the count of characters, not of code units');
    expect(chat.input.getAttribute('aria-invalid')).to.equal('false');
    const sent = collectSent(chat);
    const tooLong = 'b'.repeat(2005);
    chat.write(tooLong);
    await until(() => /Too long by 5\b/.test(note()), 'the explanation');
    expect(chat.input.getAttribute('aria-invalid')).to.equal('true');
    chat.input.focus();
    await press('Enter');
    await click(chat.part('send-button'));
    expect(chat.input.value).to.equal(tooLong);
    expect(sent).to.deep.equal([]);
    for (let excess = 5; excess > 0; excess--) await press('Backspace');
    await until(() => chat.input.ariaInvalid === 'false', 'the explanation to disappear');
    await press('Enter');
    expect(sent).to.deep.equal(['b'.repeat(2000)]);
  });

  it('announces the count at every 50th character, and as soon as the text is too long', async () => {
    const chat = mount();
    await chat.open();
    const note = chat.find('#composer-note') as HTMLElement;
    const announced: string[] = [];
    const observer = new MutationObserver(() => {
      if (note.ariaLive === 'polite') announced.push(note.innerText);
    });
    observer.observe(note, { childList: true, characterData: true, subtree: true });
    for (const length of [1848, 1849, 1850, 1851, 1852, 1853, 1999, 2000, 2001, 2002, 2003, 2000]) {
      chat.write('a'.repeat(length));
      const shown = length > 2000 ? `by ${length - 2000}.` : `${length.toLocaleString('en')} of`;
      await until(() => note.innerText.includes(shown), shown);
    }
    observer.disconnect();
    expect(announced.map((text) => /[\d,]+/.exec(text)?.[0])).to.deep.equal([
      '1,848',
      '1,851',
      '1,999',
      '1',
      '2,000',
    ]);
  });

  it('puts a text of `send()` that is too long into the field', async () => {
    const chat = mount();
    await chat.open();
    chat.element.send('c'.repeat(2001));
    await until(() => chat.input.value.length === 2001, 'the text in the field');
  });

  it('keeps the draft if it gets a text of `send()`', async () => {
    const chat = mount();
    await chat.open();
    chat.write('My own words');
    chat.element.send('c'.repeat(2001));
    await until(() => chat.input.value.length > 2001, 'the text in the field');
    expect(chat.input.value).to.equal(`My own words\n\n${'c'.repeat(2001)}`);
  });

  it('adds a text of `send()` to a draft that ends with the same characters', async () => {
    const chat = mount();
    await chat.open();
    chat.write('c'.repeat(2002));
    chat.element.send('c'.repeat(2001));
    await until(() => chat.input.value.includes('\n\n'), 'the text in the field');
  });

  it('grows with its text up to a limit', async () => {
    const chat = mount();
    await chat.open();
    const { height } = chat.input.getBoundingClientRect();
    chat.write('line\n'.repeat(3));
    await until(() => chat.input.getBoundingClientRect().height > height + 20, 'the field to grow');
    chat.write('line\n'.repeat(40));
    await until(() => chat.input.scrollHeight > chat.input.clientHeight, 'the field to scroll');
    expect(chat.input.getBoundingClientRect().height).to.be.below(150);
  });

  it('lays out only the visible part of a very long text, and keeps all of it', async () => {
    const chat = mount();
    await chat.open();
    const text = 'a line of a very long text\n'.repeat(4000);
    chat.write(text);
    await until(() => chat.input.scrollHeight > chat.input.clientHeight, 'the field to scroll');
    const copied = (): number => chat.input.parentElement?.dataset['text']?.length ?? 0;
    await until(() => copied() > 100 && copied() < 5000, 'the truncated copy that sets the height');
    expect(chat.input.value).to.equal(text);
    await until(() => chat.input.getBoundingClientRect().height > 100, 'the field to grow');
    expect(chat.input.getBoundingClientRect().height).to.be.below(150);
  });
});
