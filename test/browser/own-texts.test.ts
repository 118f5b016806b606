import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { click } from '../support/browser/page.ts';

describe('texts of the site', () => {
  afterEach(unmountAll);

  it('replace those of the language, in the panel and in lazy modules', async () => {
    const chat = mount();
    chat.element.messages = { send: 'Ask', newConversation: 'From the top', forget: 'Burn it' };
    await chat.open();
    expect(chat.part('send-button').title).to.equal('Ask');
    expect(chat.part('restart-button').title).to.equal('From the top');
    expect(chat.input.placeholder).to.equal('Write a message…');
    await click(chat.part('menu-button'));
    await until(() => chat.find('.menu button') !== null, 'the menu');
    expect(chat.find('.menu [role="menu"] > :last-child')?.innerText.trim()).to.equal('Burn it');
  });

  it('can change, and apply to other languages too', async () => {
    const chat = mount({ lang: 'de' });
    await chat.open();
    expect(chat.part('send-button').title).to.equal('Senden');
    chat.element.messages = { send: 'Frag doch' };
    await until(() => chat.part('send-button').title === 'Frag doch', 'the text of the site');
    expect(chat.part('close-button').title).to.equal('Chat schließen');
    chat.element.messages = undefined;
    await until(() => chat.part('send-button').title === 'Senden', 'the text of the language');
  });

  it('are ignored if they are invalid', async () => {
    const chat = mount();
    const invalidTexts: Record<string, unknown> = {
      send: 5,
      close: '',
      typo: 'x',
      more: {},
      chat: 'x'.repeat(1001),
    };
    chat.element.messages = invalidTexts;
    await chat.open();
    expect(chat.part('send-button').title).to.equal('Send');
    expect(chat.part('close-button').title).to.equal('Close chat');
    expect(chat.part('menu-button').title).to.equal('More');
  });
});
