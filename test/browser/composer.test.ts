import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat-fixture.ts';
import { press, type } from '../support/page.ts';

describe('the composer', () => {
  afterEach(unmountAll);

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
    expect(chat.element.shadowRoot?.activeElement).to.equal(chat.input);
  });

  it('does not send what an input method is still composing', async () => {
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    chat.input.value = 'にほん';
    chat.input.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    const enter = { key: 'Enter', bubbles: true, cancelable: true };
    chat.input.dispatchEvent(new KeyboardEvent('keydown', { ...enter, isComposing: true }));
    expect(chat.messages).to.have.length(1);
    expect(chat.input.value).to.equal('にほん');
  });

  it('counts near the limit, and explains and keeps what is too long', async () => {
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
    const tooLong = 'b'.repeat(2005);
    chat.write(tooLong);
    await until(() => /Too long by 5\b/.test(note()), 'the explanation');
    expect(chat.input.getAttribute('aria-invalid')).to.equal('true');
    await press('Enter');
    expect(chat.input.value).to.equal(tooLong);
    expect(chat.messages.some((text) => text.startsWith('user'))).to.be.false;
  });

  it('puts a too long text of the page’s into the field instead of losing it', async () => {
    const chat = mount();
    await chat.open();
    chat.element.send('c'.repeat(2001));
    await until(() => chat.input.value.length === 2001, 'the text in the field');
  });

  it('grows with its text and stops growing', async () => {
    const chat = mount();
    await chat.open();
    const { height } = chat.input.getBoundingClientRect();
    chat.write('line\n'.repeat(3));
    await until(() => chat.input.getBoundingClientRect().height > height + 20, 'the field to grow');
    chat.write('line\n'.repeat(40));
    await until(() => chat.input.scrollHeight > chat.input.clientHeight, 'the field to scroll');
    expect(chat.input.getBoundingClientRect().height).to.be.below(150);
  });
});
