import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { openPage } from '../support/chat/other-page.ts';
import { click, press, setViewport, supports } from '../support/browser/page.ts';
import { scriptAnswer } from '../support/browser/script-answer.ts';
import { modelService } from '../support/browser/service-under-test.ts';
import { isReachable, isWithinWindow, put, settled, removeInserted } from '../support/chat/page-layout.ts';

const cover = 'position: fixed; inset: 0; width: 100%; height: 100%; margin: 0; border: 0; background: tan;';

async function cleanUp(): Promise<void> {
  await unmountAll();
  removeInserted();
}

describe('the chat is above', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(cleanUp);

  it('elements with the highest z-index possible', async () => {
    const chat = mount();
    put('div', `${cover} z-index: 2147483647`);
    expect(isReachable(chat.launcher)).to.be.true;
    await chat.open();
    expect(isReachable(chat.part('header'))).to.be.true;
    expect(isReachable(chat.input)).to.be.true;
  });

  it('popovers that opened before it', async () => {
    const chat = mount();
    const popover = put('div', cover);
    popover.popover = 'manual';
    popover.showPopover();
    expect(isReachable(chat.launcher)).to.be.false;
    chat.element.show();
    await chat.ready();
    expect(isReachable(chat.input)).to.be.true;
    expect(isReachable(chat.launcher)).to.be.true;
  });

  it('its ancestors’ transforms, filters, clips and stacking orders', async () => {
    const ancestor = put(
      'div',
      'transform: rotate(20deg) scale(0.5); filter: blur(4px); opacity: 0.1; overflow: clip; width: 10px;' +
        'height: 10px; contain: strict; perspective: 10px; position: relative; z-index: -1',
    );
    const reference = mount({ position: 'left-bottom' });
    const chat = mount({ position: 'left-bottom' }, ancestor);
    const place = (of: Chat): number[] => {
      const { x, y, width, height } = of.launcher.getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    };
    expect(place(chat)).to.deep.equal(place(reference));
    expect(isReachable(chat.launcher)).to.be.true;
    await chat.open();
    await settled(chat);
    expect(isWithinWindow(chat.part('panel'))).to.be.true;
    expect(isReachable(chat.input)).to.be.true;
  });
});

describe('a style inherited from the page', () => {
  afterEach(cleanUp);

  it('does not depend on a doctype, in tables and around the composer either', async () => {
    const { question } = await scriptAnswer({ chunks: ['| Tent | Price |\n|---|---|\n| Fjell | 200 |'] });
    const styles: object[] = [];
    for (const doctype of ['<!doctype html>', '']) {
      const page = await openPage(undefined, undefined, doctype);
      try {
        const { chat, window } = page;
        expect(window.document.compatMode).to.equal(doctype ? 'CSS1Compat' : 'BackCompat');
        chat.element.setAttribute('base-url', modelService.url);
        chat.element.setAttribute('assistant-id', modelService.assistantThatShows('no-greeting'));
        chat.element.setAttribute('theme', 'dark');
        chat.element.show();
        await chat.ready();
        await chat.ask(question);
        await until(() => chat.find('td') !== null, 'the table');
        const { color, font } = window.getComputedStyle(chat.find('td') as Element);
        const { margin } = window.getComputedStyle(chat.part('composer'));
        styles.push({ color, font, margin });
      } finally {
        page.close();
      }
    }
    expect(styles[1]).to.deep.equal(styles[0]);
  });

  it('changes nothing: direction, writing mode, visibility, type, cursor', async () => {
    await setViewport(1000, 800);
    const ancestor = put(
      'div',
      'writing-mode: vertical-rl; visibility: hidden; font: italic 40px/3 cursive; letter-spacing: 9px;' +
        'word-spacing: 30px; text-transform: uppercase; color: red; cursor: none; text-align: center;' +
        'pointer-events: none; user-select: none; white-space: nowrap; text-indent: 40px; direction: rtl;' +
        'text-shadow: 0 0 9px red; list-style: square; hyphens: none; quotes: none; tab-size: 40',
    );
    const appearance = (chat: Chat): string[] =>
      ['launcher', 'panel', 'header', 'message-assistant', 'composer-input'].flatMap((name) => {
        const style = getComputedStyle(chat.part(name));
        return [...style]
          .filter((property) => !/^(--|perspective-origin|transform-origin)/.test(property))
          .map((property) => `${name} ${property}: ${style.getPropertyValue(property)}`);
      });
    const open = async (parent?: Element): Promise<Chat> => {
      const chat = mount({ lang: 'en' }, parent);
      await chat.open();
      await chat.answered(1);
      await settled(chat);
      await until(() => chat.element.shadowRoot?.activeElement === chat.input, 'the focus');
      chat.input.blur();
      return chat;
    };
    const expected = appearance(await open());
    await unmountAll();
    const chat = await open(ancestor);
    expect(appearance(chat).filter((each) => !expected.includes(each))).to.deep.equal([]);
  });
});

describe('the page', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(cleanUp);

  it('does not prevent visitors from selecting messages', async () => {
    const page = put('div', '-webkit-user-select: none; user-select: none');
    const chat = mount({}, page);
    await chat.open();
    const style = getComputedStyle(chat.part('panel'));
    // The default, `auto`, would be that of the parent.
    await until(
      () =>
        (style.getPropertyValue('user-select') || style.getPropertyValue('-webkit-user-select')) === 'text',
      'messages that can be selected',
    );
  });

  it('does not size the panel by a private property of the same name', async () => {
    const names = ['width', 'height', 'view-top', 'view-height', 'view-covered', 'launcher-height'];
    const page = put('div', names.map((name) => `--_${name}: 77px`).join(';'));
    const reference = mount();
    await reference.open();
    await settled(reference);
    const expected = reference.part('panel').getBoundingClientRect().toJSON() as object;
    await unmountAll();
    const chat = mount({}, page);
    await chat.open();
    await settled(chat);
    expect(chat.part('panel').getBoundingClientRect().toJSON()).to.deep.equal(expected);
  });
});

describe('the zoom of', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(async () => {
    document.documentElement.style.zoom = document.body.style.zoom = '';
    await cleanUp();
  });

  for (const element of [document.documentElement, document.body]) {
    for (const zoom of ['1.25', '0.8']) {
      it(`the ${element.localName} (${zoom}) changes neither size nor place of the panel and its menu`, async function () {
        if (!('currentCSSZoom' in element)) this.skip();
        const showMenu = async (): Promise<Chat> => {
          const chat = mount({ position: 'left-top' });
          await chat.open();
          await settled(chat);
          await click(chat.part('menu-button'));
          await until(() => !!chat.find('.menu:popover-open')?.style.top, 'the menu');
          await until(() => chat.find('[part="resize-handle"]') !== null, 'the handle');
          await settled(chat);
          return chat;
        };
        const rects = (chat: Chat): string =>
          ['[part="panel"]', '.menu', '[part="resize-handle"]']
            .map((selector) => {
              const { x, y, width, height } = (chat.find(selector) as Element).getBoundingClientRect();
              return [x, y, width, height].map(Math.round).join();
            })
            .join('; ');
        const expected = rects(await showMenu());
        await unmountAll();
        element.style.zoom = zoom;
        const chat = await showMenu();
        // The menu is placed after it has been laid out.
        await until(
          () => rects(chat) === expected,
          () => `${expected}; it is ${rects(chat)}`,
        );
      });
    }
  }
});

describe('the zoom of a page', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(async () => {
    document.body.style.zoom = '';
    await cleanUp();
  });

  it('is that of the launcher, also after the chat was open, and of an inline chat', async function () {
    if (!('currentCSSZoom' in document.body)) this.skip();
    document.body.style.zoom = '1.25';
    const chat = mount();
    await chat.open();
    chat.element.hide();
    await until(() => chat.launcher.currentCSSZoom === 1.25, 'the zoom of the launcher');
    await unmountAll();
    const inline = mount({ inline: '' });
    await inline.ready();
    expect(inline.part('panel').currentCSSZoom).to.equal(1.25);
  });
});

describe('a modal dialog of the page', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(cleanUp);

  it('makes the chat behind it inert, as the rest of the page', async () => {
    const chat = mount();
    await chat.open();
    const dialog = put('dialog', '');
    dialog.textContent = 'Cookies?';
    dialog.showModal();
    expect(isReachable(chat.launcher)).to.be.false;
    chat.input.blur();
    chat.input.focus();
    expect(chat.element.shadowRoot?.activeElement).to.equal(null);
    dialog.close();
    expect(isReachable(chat.launcher)).to.be.true;
    chat.input.focus();
    expect(chat.element.shadowRoot?.activeElement).to.equal(chat.input);
  });

  for (const when of ['before', 'after'] as const) {
    it(`contains a working chat if it was opened ${when} the chat was mounted`, async () => {
      const dialog = put('dialog', 'width: 300px; height: 200px');
      if (when === 'before') dialog.showModal();
      const chat = mount({}, dialog);
      if (when === 'after') dialog.showModal();
      await until(() => isReachable(chat.launcher), 'the launcher');
      await chat.open();
      await settled(chat);
      expect(isReachable(chat.input)).to.be.true;
      expect(isWithinWindow(chat.part('panel'))).to.be.true;
      await chat.ask('Hello');
      await chat.answered(2);
      await press('Escape');
      await until(() => !chat.isOpen, 'the chat to close');
      expect(dialog.open, 'the dialog stays').to.be.true;
    });
  }
});

describe('the element works', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(cleanUp);

  it('inside another shadow root', async () => {
    const host = put('div', '');
    const root = host.attachShadow({ mode: 'open' });
    const chat = mount({}, root);
    chat.element.show();
    await chat.ready();
    await chat.ask('Hello');
    await chat.answered(2);
    expect(isReachable(chat.input)).to.be.true;
  });

  it('twice on a page, side by side and one above the other', async () => {
    const one = mount({ position: 'right-bottom' });
    const two = mount({ position: 'left-bottom' });
    const three = mount({ position: 'right-bottom' });
    three.element.style.setProperty('--voice-assistant-chat-offset-y', '96px');
    for (const chat of [one, two, three]) expect(isReachable(chat.launcher)).to.be.true;
    for (const chat of [one, two, three]) {
      await chat.open();
      await settled(chat);
      expect(isReachable(chat.input)).to.be.true;
      expect(isWithinWindow(chat.part('panel'))).to.be.true;
      chat.element.hide();
    }
    const ids = [one, two, three].map((chat) => chat.findAll('[id]').map(({ id }) => id));
    expect(ids[0]).to.deep.equal(ids[1]);
  });

  it('after a move in the page, with the chat open and a draft', async () => {
    const chat = mount();
    await chat.open();
    await chat.ask('Hello');
    await chat.answered(2);
    chat.write('Half a sent');
    const before = chat.messages;
    const box = put('div', 'transform: scale(0.5)');
    box.append(chat.element);
    await until(() => isReachable(chat.input), 'the chat in its new place');
    expect(chat.messages).to.deep.equal(before);
    expect(chat.input.value).to.equal('Half a sent');
    await chat.ask('And now?');
    await chat.answered(3);
  });

  it('when it was removed while it opened, and inserted again', async () => {
    const chat = mount();
    chat.element.show();
    chat.element.remove();
    // One turn of the event loop, since a removal takes effect after its task.
    await new Promise((resolve) => setTimeout(resolve));
    document.body.append(chat.element);
    await chat.ready();
    expect(isReachable(chat.input)).to.be.true;
    await chat.answered(1);
    expect(chat.messages).to.have.length(1);
  });

  for (const [title, width, height] of [
    ['a window zoomed to 200 %', 640, 400],
    ['a window zoomed to 400 %', 320, 256],
    ['a small phone', 320, 568],
    ['a phone held sideways', 667, 375],
  ] as const) {
    it(`in ${title}, without scrolling sideways`, async function () {
      if (width < 450 && !supports.phoneViewport) this.skip();
      await setViewport(width, height);
      const chat = mount({
        subheading: 'We answer at once',
        'launcher-label': 'Questions about sizes and delivery?',
      });
      expect(isWithinWindow(chat.launcher)).to.be.true;
      await chat.open();
      await settled(chat);
      await chat.ask('A word of more than eighty letters: '.concat('Donaudampfschifffahrt'.repeat(4)));
      await chat.answered(2);
      for (const name of ['panel', 'header', 'message-log', 'composer']) {
        const element = chat.part(name);
        expect(isWithinWindow(element), name).to.be.true;
        expect(element.scrollWidth, name).to.be.at.most(element.clientWidth);
      }
      expect(chat.part('message-log').clientHeight).to.be.at.least(90);
      for (const name of ['close-button', 'restart-button', 'composer-input', 'send-button'])
        expect(isReachable(chat.part(name)), name).to.be.true;
      expect(document.documentElement.scrollWidth).to.be.at.most(innerWidth);
      await click(chat.part('close-button'));
      await until(() => !chat.isOpen, 'the panel to close');
      expect(isReachable(chat.launcher)).to.be.true;
    });
  }
});
