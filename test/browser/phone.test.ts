import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { setViewport, supports } from '../support/browser/page.ts';
import { settled, removeInserted } from '../support/chat/page-layout.ts';

async function cleanUp(): Promise<void> {
  await unmountAll();
  removeInserted();
}

describe('on a phone', () => {
  afterEach(async () => {
    restoreViewport();
    await cleanUp();
  });

  /** Replaces the visual viewport, which tests cannot change in any engine. */
  class KeyboardViewport extends EventTarget {
    height = 700;
    offsetTop = 0;
    scale = 1;

    cover(height: number, offsetTop = 0): void {
      this.height = 700 - height;
      this.offsetTop = offsetTop;
      this.dispatchEvent(new Event('resize'));
    }
  }
  const real = Object.getOwnPropertyDescriptor(window, 'visualViewport') as PropertyDescriptor;
  const realMatch = window.matchMedia.bind(window);
  const restoreViewport = (): void => {
    Object.defineProperty(window, 'visualViewport', real);
    window.matchMedia = realMatch;
  };

  async function openedOnPhone(): Promise<{ chat: Chat; viewport: KeyboardViewport }> {
    await setViewport(400, 700);
    const viewport = new KeyboardViewport();
    Object.defineProperty(window, 'visualViewport', { configurable: true, value: viewport });
    window.matchMedia = (query) => realMatch(query.replace('(pointer: coarse)', 'all'));
    const chat = mount();
    await chat.open();
    await until(() => getComputedStyle(chat.part('panel')).height === '700px', 'the full height');
    // Loaded together with the code that follows the viewport.
    await until(() => chat.find('[part="resize-handle"]') !== null, 'the resize handle');
    return { chat, viewport };
  }

  /** Whether dragging an element scrolls nothing. */
  const isStopped = (on: Element): boolean => {
    const touch = new Event('touchmove', { bubbles: true, composed: true, cancelable: true });
    Object.defineProperty(touch, 'touches', { value: [{}] });
    on.dispatchEvent(touch);
    return touch.defaultPrevented;
  };

  it('the panel fills the screen above the keyboard', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat, viewport } = await openedOnPhone();
    const rect = (): number[] => {
      const { left, top, width, height } = chat.part('panel').getBoundingClientRect();
      return [left, top, width, height];
    };
    await settled(chat);
    expect(rect()).to.deep.equal([0, 0, 400, 700]);
    viewport.cover(300);
    expect(rect()).to.deep.equal([0, 0, 400, 400]);
    viewport.cover(300, 120);
    expect(rect()).to.deep.equal([0, 120, 400, 400]);
    viewport.cover(0);
    expect(rect()).to.deep.equal([0, 0, 400, 700]);
    viewport.scale = 2;
    viewport.cover(350, 100);
    expect(rect()).to.deep.equal([0, 0, 400, 700]);
  });

  it('the page behind does not scroll, and the messages do', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat } = await openedOnPhone();
    expect(isStopped(chat.part('header'))).to.be.true;
    expect(isStopped(chat.part('message-log'))).to.be.true;
    for (let index = 0; index < 4; index++) {
      await chat.ask(`Line ${String(index)}\n`.repeat(12));
      await chat.answered(index + 2);
    }
    expect(isStopped(chat.part('message-log'))).to.be.false;
    expect(getComputedStyle(chat.part('message-log')).overscrollBehaviorY).to.equal('contain');
  });

  it('a panel too low for its content scrolls, and not the page', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat, viewport } = await openedOnPhone();
    viewport.cover(600);
    const panel = chat.part('panel');
    expect(panel.scrollHeight).to.be.above(panel.clientHeight);
    expect(isStopped(chat.part('header'))).to.be.false;
    expect(getComputedStyle(panel).overscrollBehaviorY).to.equal('contain');
    viewport.cover(0);
    expect(isStopped(chat.part('header'))).to.be.true;
  });

  it('a visitor who has zoomed in can pan', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat, viewport } = await openedOnPhone();
    expect(isStopped(chat.part('header'))).to.be.true;
    viewport.scale = 2;
    expect(isStopped(chat.part('header'))).to.be.false;
  });

  it('dragging what scrolls in the chat never scrolls the page', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat } = await openedOnPhone();
    chat.element.suggestions = ['When do you open?'];
    await until(() => chat.find('.suggested') !== null, 'the suggestions');
    for (const element of [chat.input, chat.part('suggestion').closest('.suggested') as Element])
      expect(getComputedStyle(element).overscrollBehaviorY).to.equal('contain');
  });

  it('nothing remains when the chat closes', async function () {
    if (!supports.phoneViewport) this.skip();
    const { chat, viewport } = await openedOnPhone();
    chat.element.hide();
    await until(() => !chat.isOpen, 'the panel to close');
    viewport.cover(300);
    expect(chat.find('.root')?.getAttribute('style') ?? '').not.to.contain('view');
  });
});
