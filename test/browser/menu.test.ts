import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import {
  conversationKey,
  mount,
  nextEvent,
  unmountAll,
  until,
  type Chat,
} from '../support/chat/chat-fixture.ts';
import { downloadedFile } from '../support/chat/downloaded-file.ts';
import { click, engine, press } from '../support/browser/page.ts';
import { takeOverAndWrite } from '../support/browser/take-over-and-write.ts';

const labels = {
  copy: 'Copy transcript',
  print: 'Print',
  text: 'Download as text',
  json: 'Download as JSON',
  sound: 'Sound',
  forget: 'Delete conversation',
} as const;

function menuOf(chat: Chat): HTMLElement | null {
  return chat.find('.menu:popover-open');
}

function items(chat: Chat): HTMLElement[] {
  return chat.findAll('.menu:popover-open button');
}

function item(chat: Chat, label: string): HTMLElement {
  const found = items(chat).find(({ innerText }) => innerText.trim() === label);
  if (found === undefined) throw new Error(`There is no item "${label}" in the menu.`);
  return found;
}

function focused(chat: Chat): string {
  return (chat.element.shadowRoot?.activeElement as HTMLElement | null)?.innerText.trim() ?? '';
}

async function openMenu(chat: Chat): Promise<void> {
  await click(chat.part('menu-button'));
  await until(() => items(chat).length > 0, 'the menu');
}

/** Prints from the open menu; returns the text of the printed page. */
async function print(chat: Chat, look?: (page: Document) => void): Promise<string> {
  const printed: string[] = [];
  // Printing opens a dialog that tests cannot close, so it is replaced in the frame.
  const section = chat.part('panel');
  const prepend = section.prepend.bind(section);
  section.prepend = (...nodes) => {
    prepend(...nodes);
    for (const node of nodes) {
      const view = node instanceof HTMLIFrameElement ? node.contentWindow : null;
      if (view === null) continue;
      view.print = () => {
        printed.push(view.document.body.innerText);
        look?.(view.document);
        view.dispatchEvent(new Event('afterprint'));
      };
    }
  };
  await click(item(chat, labels.print));
  await until(() => printed.length > 0, 'the page to be printed');
  return printed[0] ?? '';
}

/** A chat with a question and its answer, and its menu open. */
async function mountWithMenu(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  const chat = mount(attributes);
  await chat.open();
  await chat.ask('When do you open?');
  await chat.answered(2);
  await openMenu(chat);
  return chat;
}

describe('the menu', () => {
  afterEach(async () => {
    await unmountAll();
    serveNoHistory();
  });

  it('loads when the pointer comes near its button', async () => {
    const chat = mount();
    await chat.open();
    expect(chat.find('.menu')).to.be.null;
    chat.part('menu-button').focus();
    await until(() => chat.find('.menu') !== null, 'the menu');
    expect(menuOf(chat)).to.be.null;
  });

  it('opens at a click, with the focus on its first item, and closes at the next one', async () => {
    const chat = await mountWithMenu();
    // The popover's toggle event is dispatched later.
    await until(() => chat.part('menu-button').ariaExpanded === 'true', 'the expanded state');
    expect(chat.part('menu-button').ariaHasPopup).to.equal('menu');
    await until(() => focused(chat) === labels.copy, 'the focus on the first item');
    expect(items(chat).map(({ innerText }) => innerText.trim())).to.deep.equal([
      labels.copy,
      labels.print,
      labels.text,
      labels.json,
      labels.forget,
    ]);
    await click(chat.part('menu-button'));
    await until(() => menuOf(chat) === null, 'the menu to close');
    await until(() => chat.part('menu-button').ariaExpanded === 'false', 'the state of its button');
    await openMenu(chat);
  });

  it('is navigated with arrow keys, Home and End, and wraps around', async () => {
    const chat = await mountWithMenu();
    await until(() => focused(chat) === labels.copy, 'the focus');
    for (const [key, label] of [
      ['ArrowDown', labels.print],
      ['End', labels.forget],
      ['ArrowDown', labels.copy],
      ['ArrowUp', labels.forget],
      ['Home', labels.copy],
    ] as const) {
      await press(key);
      expect(focused(chat), key).to.equal(label);
    }
  });

  it('closes with Tab, which moves the focus to the control after its button', async () => {
    const chat = await mountWithMenu();
    await until(() => focused(chat) === labels.copy, 'the focus');
    await press('Tab');
    expect(chat.element.shadowRoot?.activeElement?.getAttribute('part')).to.equal('close-button');
    expect(menuOf(chat)?.matches(':popover-open')).not.to.be.true;
  });

  it('closes with Escape, which leaves the chat open and the focus on its button', async () => {
    const chat = await mountWithMenu();
    await until(() => focused(chat) === labels.copy, 'the focus');
    await press('Escape');
    await until(() => menuOf(chat) === null, 'the menu to close');
    expect(chat.isOpen).to.be.true;
    expect(chat.element.shadowRoot?.activeElement === chat.part('menu-button')).to.be.true;
  });

  it('closes at a click elsewhere, and with the panel', async () => {
    const chat = await mountWithMenu();
    await click(chat.part('composer-input'));
    await until(() => menuOf(chat) === null, 'the menu to close');
    await openMenu(chat);
    chat.element.hide();
    await until(() => menuOf(chat)?.checkVisibility() !== true, 'the menu to disappear with it');
  });

  it('opens by keyboard', async () => {
    const chat = mount();
    await chat.open();
    chat.part('menu-button').focus();
    await press('Enter');
    await until(() => focused(chat) === labels.copy, 'the focus in the menu');
  });

  it('stays inside the window', async () => {
    for (const position of ['right-bottom', 'left-top']) {
      const chat = mount({ position });
      await chat.open();
      await openMenu(chat);
      const { left, right, top, bottom } = (menuOf(chat) as HTMLElement).getBoundingClientRect();
      expect(Math.min(left, top), position).to.be.at.least(0);
      expect(right).to.be.at.most(innerWidth);
      expect(bottom).to.be.at.most(innerHeight);
      chat.element.remove();
    }
  });

  it('downloads the transcript as text, with authors and times', async () => {
    const chat = await mountWithMenu({ heading: 'Kim: help' });
    const file = await downloadedFile(() => click(item(chat, labels.text)));
    expect(file.name).to.match(/^Kim help \d{4}-\d\d-\d\d\.txt$/);
    expect(file.type).to.contain('text/plain');
    expect(file.text).to.match(/^Kim: help\n\nKim: help \(.*\d.*\):\n/);
    expect(file.text).to.match(/\nYou \(.*\d.*\):\nWhen do you open\?\n/);
    expect(file.text).to.contain('18:30').and.not.to.contain('**');
    expect(menuOf(chat)).to.be.null;
  });

  it('downloads the transcript with the names of people, and with events in the language of the chat', async () => {
    const chat = mount({ lang: 'de' });
    await chat.open();
    await chat.answered(1);
    await takeOverAndWrite(chat.conversationId, 'Wie kann ich helfen?', 'Hanna Weiß');
    await until(() => chat.messages.includes('assistant: Wie kann ich helfen?'), 'the message');
    await openMenu(chat);
    const { text } = await downloadedFile(() => click(item(chat, 'Als Text herunterladen')));
    expect(text).to.contain(':\nEin Mensch ist dem Chat beigetreten.\n');
    expect(text).to.match(/\nHanna Weiß \(.*\):\nWie kann ich helfen\?\n/);
  });

  it('downloads no message that the service has not received', async () => {
    serveHistory([{ role: 'assistant', content: 'Good day!' }]);
    const chat = mount({ 'base-url': cannedService, heading: 'Kim' });
    await chat.open();
    await chat.ask('Never received');
    await until(() => chat.find('.user[data-status="failed"]') !== null, 'the refusal');
    await openMenu(chat);
    const { text } = await downloadedFile(() => click(item(chat, labels.text)));
    expect(text).to.contain('Good day!').and.not.to.contain('Never received');
  });

  it('downloads the transcript as JSON, without the conversation’s ID', async () => {
    const chat = mount();
    const ready = nextEvent<{ conversationId: string }>(chat.element, 'chat-ready');
    await chat.open();
    const { conversationId } = await ready;
    await chat.ask('When do you open?');
    await chat.answered(2);
    await openMenu(chat);
    const { text } = await downloadedFile(() => click(item(chat, labels.json)));
    const { history } = JSON.parse(text) as {
      history: { role: string; content: string; created_at: string }[];
    };
    expect(history.map(({ role }) => role)).to.deep.equal(['assistant', 'user', 'assistant']);
    expect(history[1]?.content).to.equal('When do you open?');
    expect(Date.parse(history[1]?.created_at ?? '')).to.be.closeTo(Date.now(), 60_000);
    expect(text).not.to.contain(conversationId);
  });

  it('copies the transcript, and reports success or refusal', async () => {
    const denied = 'This browser does not support this feature.';
    const chat = await mountWithMenu();
    let copied = '';
    const { clipboard } = navigator;
    // The real one needs a permission that tests cannot grant in every engine.
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: { writeText: (text: string) => Promise.resolve(void (copied = text)) },
    });
    try {
      await click(item(chat, labels.copy));
      await until(() => chat.find('.menu [role="status"]')?.textContent === 'Copied', 'the word “Copied”');
      Object.defineProperty(navigator, 'clipboard', {
        configurable: true,
        value: { writeText: () => Promise.reject(new DOMException('No', 'NotAllowedError')) },
      });
      await click(item(chat, 'Copied'));
      await until(() => menuOf(chat)?.innerText.includes(denied) === true, 'the error');
      expect(chat.find('.menu [role="status"]')?.textContent).to.equal(denied);
    } finally {
      Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
    }
    expect(copied).to.contain('You (').and.to.contain('When do you open?');
  });

  it('prints the whole transcript and nothing of the page, from a frame', async () => {
    const chat = await mountWithMenu({ heading: 'Kim' });
    const printed = await print(chat);
    expect(printed).to.match(/^Kim\n/);
    expect(printed).to.contain('When do you open?').and.to.contain('18:30');
    expect(chat.find('iframe')).to.be.null;
  });

  it('prints no names of messages without text', async () => {
    serveHistory([
      { role: 'assistant', content: 'Good day!' },
      { role: 'user', content: 'Are you there?' },
      { role: 'assistant', content: '' },
    ]);
    const chat = mount({ 'base-url': cannedService, heading: 'Kim' });
    await chat.open();
    await openMenu(chat);
    expect((await print(chat)).split(/\n+/)).to.deep.equal([
      'Kim',
      'Kim',
      'Good day!',
      'You',
      'Are you there?',
    ]);
  });

  it('prints images when they have loaded, and the text of others', async () => {
    const image = (name: string): string => `![${name}](${location.origin}/demo/site/art/shop.svg?${name})`;
    const lines = 'A line.\n'.repeat(400);
    serveHistory([
      {
        role: 'assistant',
        content: `${image('Shop')} ![Nothing](${location.origin}/nothing.png)\n\n${lines}`,
      },
    ]);
    const chat = mount({ 'base-url': cannedService, heading: 'Kim', 'allow-images': location.origin });
    await chat.open();
    await openMenu(chat);
    let widths: number[] = [];
    const text = await print(chat, ({ images }) => {
      widths = Array.from(images, ({ naturalWidth }) => naturalWidth);
    });
    expect(widths.map((width) => width > 0)).to.deep.equal([true, false]);
    expect(text).to.contain('Nothing').and.not.to.contain('Shop');
  });

  it('deletes the conversation after a confirmation', async () => {
    const chat = await mountWithMenu();
    const key = conversationKey();
    await click(item(chat, labels.forget));
    await until(() => focused(chat) === 'Cancel', 'the question');
    expect(menuOf(chat)?.innerText).to.contain('Delete this conversation for good?');
    await press('Enter');
    await until(() => focused(chat) === labels.forget, 'the menu again');
    expect(chat.messages).to.have.length(3);
    await press('Enter');
    await until(() => focused(chat) === 'Cancel', 'the question again');
    await click(item(chat, 'Delete'));
    await until(() => !chat.isOpen, 'the panel to close');
    expect(localStorage.getItem(key)).to.equal(null);
    // The page no longer contains it either.
    for (const place of chat.findAll('[part="message-log"], .root > [role="status"]'))
      expect(place.textContent, place.outerHTML).to.equal('');
    await chat.open();
    await chat.answered(1);
    expect(chat.messages).to.have.length(1);
  });

  it('keeps the focus in the question before it deletes the conversation', async () => {
    const chat = await mountWithMenu();
    await click(item(chat, labels.forget));
    await until(() => focused(chat) === 'Cancel', 'the question');
    for (const [key, label] of [
      ['Tab', 'Delete'],
      ['Tab', 'Cancel'],
      ['Shift+Tab', 'Delete'],
      ['Shift+Tab', 'Cancel'],
    ] as const) {
      // WebKitGTK reports this key as unidentified.
      if (key === 'Shift+Tab' && engine === 'webkit') continue;
      await press(key);
      expect(focused(chat), key).to.equal(label);
    }
    await press('Escape');
    await until(() => menuOf(chat) === null, 'the menu to close');
    expect(chat.isOpen).to.be.true;
  });

  it('closes if the page deletes the conversation', async () => {
    const chat = await mountWithMenu();
    chat.element.forget();
    await until(() => !chat.isOpen, 'the panel to close');
    chat.element.show();
    await chat.ready();
    expect(menuOf(chat) === null).to.be.true;
    await openMenu(chat);
    expect(chat.findAll('.menu')).to.have.length(1);
  });

  it('closes if the page hides the chat or moves it out of the page’s flow', async () => {
    const chat = await mountWithMenu();
    chat.element.inline = true;
    await until(() => menuOf(chat) === null, 'the menu to close as the chat moves');
    chat.element.inline = false;
    await openMenu(chat);
    chat.element.hide();
    await until(() => menuOf(chat) === null, 'the menu to close with the chat');
    chat.element.show();
    await until(() => chat.part('panel').checkVisibility(), 'the chat');
    expect(menuOf(chat)).to.be.null;
  });

  it('keeps the focus in an inline chat when it deletes the conversation', async () => {
    const chat = mount({ inline: '' });
    await chat.ready();
    await chat.answered(1);
    const before = chat.conversationId;
    await openMenu(chat);
    await click(item(chat, labels.forget));
    await until(() => focused(chat) === 'Cancel', 'the question');
    await press('Tab');
    const opened = nextEvent<{ conversationId: string }>(chat.element, 'chat-ready');
    await press('Enter');
    expect((await opened).conversationId).not.to.equal(before);
    await chat.answered(1);
    expect(chat.element.shadowRoot?.activeElement === chat.part('panel')).to.be.true;
  });

  it('has a switch for the sound if the site enables it, and stores the visitor’s choice', async () => {
    const first = await mountWithMenu({ sound: '' });
    const sound = item(first, labels.sound);
    expect(sound.getAttribute('aria-checked')).to.equal('true');
    await click(sound);
    expect(item(first, labels.sound).getAttribute('aria-checked')).to.equal('false');
    first.element.remove();
    const second = mount({ sound: '' });
    await second.open();
    await openMenu(second);
    expect(item(second, labels.sound).getAttribute('aria-checked')).to.equal('false');
  });

  it('is in the visitor’s language, from right to left too', async () => {
    const chat = mount({ lang: 'ar', position: 'left-bottom' });
    await chat.open();
    await click(chat.part('menu-button'));
    await until(() => items(chat).length > 0, 'the menu');
    expect(items(chat).at(-1)?.innerText).to.match(/\p{Script=Arabic}/u);
    expect((menuOf(chat) as HTMLElement).getBoundingClientRect().left).to.be.at.least(0);
  });
});
