import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { click, press, setViewport } from '../support/browser/page.ts';
import { isWithinWindow, put, settled, removeInserted } from '../support/chat/page-layout.ts';

async function cleanUp(): Promise<void> {
  await unmountAll();
  removeInserted();
}

describe('the resize handle', () => {
  beforeEach(() => setViewport(1000, 900));
  afterEach(cleanUp);

  async function openedWithHandle(attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
    const chat = mount(attributes);
    await chat.open();
    await click(chat.part('header'));
    await until(() => chat.find('[part="resize-handle"]') !== null, 'the handle');
    await settled(chat);
    return chat;
  }

  const sizeOf = (chat: Chat): number[] => {
    const { width, height } = chat.part('panel').getBoundingClientRect();
    return [width, height].map(Math.round);
  };

  for (const [position, corner] of [
    ['right-bottom', 'left top'],
    ['left-bottom', 'right top'],
    ['right-top', 'left bottom'],
    ['left-top', 'right bottom'],
  ] as const) {
    it(`is at the ${corner} of a chat at the ${position}, and grows it from there`, async () => {
      const chat = await openedWithHandle({ position, color: '#123456', theme: 'light' });
      const handle = chat.part('resize-handle');
      const isAtCorner = (): boolean => {
        const panel = chat.part('panel').getBoundingClientRect();
        const { x, y, width, height } = handle.getBoundingClientRect();
        const across = x + width / 2 - (corner.includes('left') ? panel.left : panel.right);
        const down = y + height / 2 - (corner.includes('top') ? panel.top : panel.bottom);
        return Math.abs(across) <= 1 && Math.abs(down) <= 1;
      };
      await until(isAtCorner, `the handle at the ${corner}`);
      handle.focus();
      const [before = 0, beforeHeight = 0] = sizeOf(chat);
      await press(corner.includes('left') ? 'ArrowLeft' : 'ArrowRight');
      await press(corner.includes('top') ? 'ArrowUp' : 'ArrowDown');
      expect(sizeOf(chat)).to.deep.equal([before + 16, beforeHeight + 16]);
      await press(corner.includes('left') ? 'ArrowRight' : 'ArrowLeft');
      await press(corner.includes('top') ? 'ArrowDown' : 'ArrowUp');
      expect(sizeOf(chat)).to.deep.equal([before, beforeHeight]);
    });
  }

  it('moves with the panel to another corner', async () => {
    const chat = await openedWithHandle({ position: 'right-bottom' });
    const isAt = (inline: 'left' | 'right', block: 'top' | 'bottom'): boolean => {
      const panel = chat.part('panel').getBoundingClientRect();
      const { x, y, width, height } = chat.part('resize-handle').getBoundingClientRect();
      return Math.abs(x + width / 2 - panel[inline]) <= 1 && Math.abs(y + height / 2 - panel[block]) <= 1;
    };
    await until(() => isAt('left', 'top'), 'the handle at the left top');
    chat.element.setAttribute('position', 'left-top');
    await until(() => isAt('right', 'bottom'), 'the handle at the right bottom');
    chat.element.setAttribute('position', 'left-bottom');
    await until(() => isAt('right', 'top'), 'the handle at the right top');
  });

  it('has a name, a value text and a visible focus', async () => {
    const chat = await openedWithHandle();
    const handle = chat.part('resize-handle');
    expect(handle.role).to.equal('slider');
    const shows = (): number => Number(getComputedStyle(handle, '::after').opacity);
    expect(shows(), 'while nobody is near').to.be.within(0.2, 0.6);
    expect(handle.title).to.equal('Resize chat');
    await until(() => handle.ariaValueText === sizeOf(chat).join(' × '), 'the size in words');
    chat.part('send-button').focus();
    await press('Tab');
    expect(chat.element.shadowRoot?.activeElement).to.equal(handle);
    expect(getComputedStyle(handle).outlineStyle).to.equal('solid');
    await until(() => shows() === 1, 'the handle to be opaque');
    chat.element.lang = 'de';
    await until(() => handle.title === 'Größe des Chats ändern', 'the name in the new language');
  });

  it('follows a pointer, stays within the window, and keeps the size for the next visit', async () => {
    const chat = await openedWithHandle();
    const handle = chat.part('resize-handle');
    const at = (type: string, clientX: number, clientY: number): void => {
      handle.dispatchEvent(
        new PointerEvent(type, { clientX, clientY, pointerId: 1, bubbles: true, button: 0 }),
      );
    };
    handle.setPointerCapture = () => undefined;
    const [width = 0, height = 0] = sizeOf(chat);
    at('pointerdown', 500, 300);
    at('pointermove', 440, 270);
    at('lostpointercapture', 440, 270);
    expect(sizeOf(chat)).to.deep.equal([width + 60, height + 30]);
    chat.element.remove();
    const next = mount();
    await next.open();
    expect(sizeOf(next)).to.deep.equal([width + 60, height + 30]);
    next.element.hide();
    const again = await openedWithHandle();
    again.part('resize-handle').focus();
    await press('End');
    expect(isWithinWindow(again.part('panel'))).to.be.true;
    await press('Home');
    expect(sizeOf(again)).to.deep.equal([300, 320]);
    again.part('resize-handle').dispatchEvent(new MouseEvent('dblclick'));
    expect(sizeOf(again)).to.deep.equal([width, height]);
    expect(localStorage.getItem('voice-assistant-chat:size')).to.equal(null);
  });

  it('forgets the size with `forget()`, and stores nothing with persist="none"', async () => {
    const chat = await openedWithHandle();
    chat.part('resize-handle').focus();
    await press('ArrowLeft');
    expect(localStorage.getItem('voice-assistant-chat:size')).to.contain('--_width');
    chat.element.forget();
    await until(
      () => localStorage.getItem('voice-assistant-chat:size') === null,
      'the stored size to be deleted',
    );
    const unstored = await openedWithHandle({ persist: 'none' });
    unstored.part('resize-handle').focus();
    await press('ArrowLeft');
    expect(localStorage.getItem('voice-assistant-chat:size')).to.equal(null);
  });

  it('is absent from an inline chat, and from one that fills the window', async () => {
    const box = put('div', 'width: 400px; height: 500px');
    const chat = mount({ inline: '' }, box);
    await chat.ready();
    await click(chat.part('header'));
    await until(() => chat.find('[part="resize-handle"]') !== null, 'the resize handle');
    const isHidden = (chat: Chat): boolean => !chat.part('resize-handle').checkVisibility();
    await until(() => isHidden(chat), 'an inline chat to hide the handle');
    await unmountAll();
    const floating = await openedWithHandle();
    await setViewport(900, 450);
    await until(() => isHidden(floating), 'a chat that fills the window to hide the handle');
  });

  it('is hidden while the page hides the panel', async () => {
    const chat = await openedWithHandle();
    const style = put('style', '');
    style.textContent = 'voice-assistant-chat::part(panel) { display: none }';
    await until(() => !chat.part('resize-handle').checkVisibility(), 'the handle to disappear');
    style.remove();
    await until(() => chat.part('resize-handle').checkVisibility(), 'the handle to appear');
  });

  it('is removed with the element', async () => {
    const chat = await openedWithHandle();
    chat.element.remove();
    await until(() => chat.find('[part="resize-handle"]') === null, 'the handle to disappear');
  });
});
