import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press, setViewport, supports, type } from '../support/browser/page.ts';

function focused(chat: Chat): Element | null | undefined {
  return chat.element.shadowRoot?.activeElement;
}

describe('with the keyboard alone', () => {
  let before: HTMLButtonElement;

  beforeEach(() => {
    before = document.createElement('button');
    before.textContent = 'Before';
    document.body.append(before);
  });

  afterEach(async () => {
    await unmountAll();
    before.remove();
  });

  it('Tab reaches the launcher, Enter opens, the focus moves to the composer, Escape returns it', async () => {
    const chat = mount();
    before.focus();
    await press('Tab');
    expect(focused(chat) === chat.launcher).to.be.true;
    await press('Enter');
    await chat.ready();
    await until(() => focused(chat)?.localName === 'textarea', 'the focus in the composer');
    await type('Hello\n');
    await chat.answered(2);
    expect(focused(chat) === chat.input).to.be.true;
    await press('Escape');
    await until(() => !chat.isOpen, 'the panel to close');
    expect(focused(chat) === chat.launcher).to.be.true;
    await press('Space');
    await until(() => chat.isOpen && focused(chat) === chat.input, 'the panel to open again');
  });

  for (const [title, focusButton, removeIt] of [
    [
      'a suggestion, when the page sends a message',
      async (chat: Chat) => {
        chat.element.suggestions = ['Opening hours'];
        await until(() => chat.find('[part="suggestion"]') !== null, 'the suggestion');
        chat.part('suggestion').focus();
      },
      (chat: Chat) => {
        chat.element.send('Hello');
      },
    ],
    [
      'the button that scrolls to the latest message, when the visitor scrolls there',
      async (chat: Chat) => {
        await chat.ask('Hello\n'.repeat(60));
        await chat.answered(2);
        await until(() => {
          chat.part('message-log').scrollTop = 0;
          return chat.find('[part="latest-button"]') !== null;
        }, 'the button');
        chat.part('latest-button').focus();
      },
      (chat: Chat) => {
        chat.part('message-log').scrollTop = 1e6;
      },
    ],
    [
      'the button that edits an unsent message, when the message is sent',
      async (chat: Chat) => {
        Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
        try {
          await chat.ask('Hello');
          await until(() => chat.find('[part="edit-button"]') !== null, 'the button');
        } finally {
          Reflect.deleteProperty(navigator, 'onLine');
        }
        chat.part('edit-button').focus();
      },
      () => {
        dispatchEvent(new Event('online'));
      },
    ],
  ] as const)
    it(`the focus moves to the composer from ${title}`, async () => {
      const chat = mount();
      await chat.open();
      await chat.answered(1);
      await focusButton(chat);
      const button = focused(chat);
      expect(button?.localName).to.equal('button');
      removeIt(chat);
      await until(() => button?.isConnected === false, 'the button to disappear');
      expect(focused(chat) === chat.input).to.be.true;
    });

  it('Tab visits every control, then continues into the page', async () => {
    const chat = mount();
    const after = document.createElement('button');
    after.textContent = 'After';
    document.body.append(after);
    await chat.open();
    await chat.answered(1);
    chat.launcher.focus();
    const walked: (string | null | undefined)[] = [];
    for (let step = 0; step < 12 && document.activeElement !== after; step++) {
      await press('Tab');
      // It loads when the keyboard is first used in the panel.
      if (step === 1) await until(() => chat.find('[part="resize-handle"]') !== null, 'the handle');
      if (document.activeElement === chat.element) walked.push(focused(chat)?.getAttribute('part'));
    }
    expect(walked).to.deep.equal([
      'restart-button',
      'menu-button',
      'close-button',
      'message-log',
      'composer-input',
      'send-button',
      'resize-handle',
    ]);
    expect(document.activeElement === after).to.be.true;
    after.remove();
  });

  it('Tab stays in a chat that fills the window, so that the focus is never behind it', async function () {
    if (!supports.phoneViewport) this.skip();
    await setViewport(320, 256);
    try {
      const chat = mount();
      const footer = document.createElement('a');
      footer.href = '#';
      footer.slot = 'footer';
      footer.textContent = 'Privacy';
      chat.element.append(footer);
      await chat.open();
      await chat.answered(1);
      chat.input.focus();
      await press('Shift');
      await until(
        () => chat.find('[part="resize-handle"]') !== null,
        'the module that loads with the first key',
      );
      const walk = async (key: string): Promise<unknown[]> => {
        const walked: unknown[] = [];
        for (let step = 0; step < 7; step++) {
          await press(key);
          walked.push(
            document.activeElement === footer ? 'the link of the page' : focused(chat)?.getAttribute('part'),
          );
        }
        return walked;
      };
      const rest = ['restart-button', 'menu-button', 'close-button', 'message-log', 'composer-input'];
      const all = ['send-button', 'the link of the page', ...rest];
      expect(await walk('Tab')).to.deep.equal(all);
      expect(await walk('Shift+Tab')).to.deep.equal([...all.slice(0, -1).reverse(), 'composer-input']);
      await press('Escape');
      await until(() => !chat.isOpen, 'the chat to close');
      await press('Shift+Tab');
      expect(document.activeElement === chat.element).to.be.false;
    } finally {
      await setViewport(1000, 800);
    }
  });

  it('the close button closes and returns the focus', async () => {
    const chat = mount();
    await chat.open();
    await click(chat.part('close-button'));
    await until(() => !chat.isOpen, 'the panel to close');
    expect(focused(chat) === chat.launcher).to.be.true;
  });

  it('Escape returns the focus to the page’s own button if the page hides the launcher', async () => {
    const style = document.createElement('style');
    style.textContent = 'voice-assistant-chat::part(launcher) { display: none }';
    document.body.append(style);
    try {
      const chat = mount();
      before.onclick = () => {
        chat.element.show();
      };
      for (const time of ['first', 'second']) {
        before.focus();
        await press('Enter');
        await until(() => chat.isOpen && focused(chat) === chat.input, `the focus in the composer, ${time}`);
        await press('Escape');
        await until(() => !chat.isOpen, 'the panel to close');
        expect(document.activeElement === before, time).to.be.true;
      }
    } finally {
      style.remove();
    }
  });

  for (const slot of ['header', 'notice', 'footer'])
    it(`Escape in the page’s content of the slot ${slot} closes and moves the focus to the launcher`, async () => {
      const chat = mount();
      const link = document.createElement('button');
      link.slot = slot;
      link.textContent = 'Help';
      chat.element.append(link);
      await chat.open();
      link.focus();
      expect(document.activeElement === link).to.be.true;
      await press('Escape');
      await until(() => !chat.isOpen, 'the panel to close');
      expect(focused(chat) === chat.launcher).to.be.true;
    });

  it('Escape neither closes an inline chat nor one whose input method is composing, in any engine', async () => {
    const inline = mount({ inline: '' });
    await inline.ready();
    inline.input.focus();
    await press('Escape');
    expect(inline.isOpen).to.be.true;
    const floating = mount();
    await floating.open();
    const keys: string[] = [];
    const onKey = ({ key }: KeyboardEvent): void => void keys.push(key);
    document.addEventListener('keydown', onKey);
    try {
      // Key code 229 is the only sign in Safari.
      for (const init of [{ isComposing: true }, { keyCode: 229 }])
        floating.input.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true, ...init }),
        );
    } finally {
      document.removeEventListener('keydown', onKey);
    }
    expect(floating.element.open).to.be.true;
    expect(keys, 'the page would close a dialog').to.deep.equal([]);
  });

  it('keys that edit the text do not reach the page’s shortcuts', async () => {
    const chat = mount();
    const ownField = document.createElement('input');
    ownField.slot = 'footer';
    chat.element.append(ownField);
    await chat.open();
    const keys = new Set<string>();
    const types = ['keydown', 'keypress', 'keyup'];
    const onKey = (event: Event): void => {
      keys.add((event as KeyboardEvent).key);
      event.preventDefault();
    };
    for (const type of types) document.addEventListener(type, onKey);
    try {
      await type('and/or');
      expect(chat.input.value).to.equal('and/or');
      await press('ArrowLeft');
      await press('Backspace');
      await press('Delete');
      await press('Home');
      await type('b');
      expect(chat.input.value).to.equal('band/');
      const down = (init: KeyboardEventInit): void => {
        chat.input.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, composed: true, ...init }));
      };
      down({ key: 'z', ctrlKey: true });
      down({ key: 'v', metaKey: true });
      down({ key: 'Backspace', altKey: true });
      await press('Enter');
      await chat.answered(2);
      expect([...keys]).to.deep.equal([]);
      down({ key: 'k', ctrlKey: true });
      down({ key: 'c', altKey: true });
      down({ key: 'F2' });
      await press('Shift');
      expect([...keys]).to.deep.equal(['k', 'c', 'F2', 'Shift']);
      ownField.focus();
      await press('x');
      expect(keys.has('x')).to.be.true;
      chat.part('restart-button').focus();
      await press('/');
      expect(keys.has('/')).to.be.true;
    } finally {
      for (const type of types) document.removeEventListener(type, onKey);
    }
  });

  it('a page that sees a key go down also sees it go up, although it opens the chat', async () => {
    const chat = mount();
    const seen: string[] = [];
    const onKey = ({ type, target }: Event): void => {
      seen.push(type);
      if (target === document.body) chat.input.focus();
    };
    const types = ['keydown', 'keyup'];
    await chat.open();
    for (const type of types) document.addEventListener(type, onKey);
    try {
      const key = { key: 'c', code: 'KeyC', bubbles: true, composed: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', key));
      chat.input.dispatchEvent(new KeyboardEvent('keyup', key));
      expect(seen).to.deep.equal(['keydown', 'keyup']);
    } finally {
      for (const type of types) document.removeEventListener(type, onKey);
    }
  });

  it('show() moves the focus only for a person’s click', async () => {
    const chat = mount();
    before.addEventListener('click', () => {
      chat.element.show();
    });
    await click(before);
    await until(() => focused(chat)?.localName === 'textarea', 'the focus in the composer');
  });

  it('every control shows where the focus is', async () => {
    const chat = mount();
    await chat.open();
    for (const part of ['restart-button', 'close-button', 'message-log', 'composer-input', 'send-button']) {
      chat.launcher.focus();
      for (let step = 0; step < 8 && focused(chat)?.getAttribute('part') !== part; step++) await press('Tab');
      const { outlineStyle, outlineWidth } = getComputedStyle(chat.part(part));
      expect([part, outlineStyle]).to.deep.equal([part, 'solid']);
      expect(parseFloat(outlineWidth)).to.be.at.least(2);
    }
  });
});
