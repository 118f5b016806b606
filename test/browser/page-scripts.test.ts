import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { click, press, type } from '../support/browser/page.ts';

/** Calls `listen` for these events of the document until the test ends. */
function onPage(types: readonly string[], listen: (event: Event) => void): void {
  for (const type of types) {
    document.addEventListener(type, listen, { passive: false });
    listeners.push(() => {
      document.removeEventListener(type, listen);
    });
  }
}

const listeners: (() => void)[] = [];

/** As scripts against copying do. */
function cancelOutsideFields(event: Event): void {
  const { key, ctrlKey } = event as KeyboardEvent;
  const isAllowed = event.type === 'keydown' && !(ctrlKey && /[acvx]/.test(key));
  if (!isAllowed && !(event.target as Element).matches('input, select, textarea')) event.preventDefault();
}

describe('on a page whose scripts', () => {
  afterEach(async () => {
    for (const remove of listeners.splice(0)) remove();
    await unmountAll();
  });

  it('prevent copying, a visitor can click into the composer, select, cut and paste', async () => {
    const chat = mount();
    await chat.open();
    const focused = (): Element | null | undefined => chat.element.shadowRoot?.activeElement;
    onPage(['mousedown', 'contextmenu', 'copy', 'cut', 'paste', 'keydown'], cancelOutsideFields);
    chat.input.blur();
    await click(chat.input);
    await until(() => focused() === chat.input, 'the focus in the composer');
    await type('sizes');
    await press('Control+a');
    await press('Control+x');
    expect(chat.input.value).to.equal('');
    await press('Control+v');
    await until(() => chat.input.value === 'sizes', 'the pasted text');
    await press('Control+a');
    await press('Control+c');
    await press('Control+v');
    await press('Control+v');
    await until(() => chat.input.value === 'sizessizes', 'the copied text');
    const menu = new MouseEvent('contextmenu', { bubbles: true, composed: true, cancelable: true });
    chat.input.dispatchEvent(menu);
    expect(menu.defaultPrevented, 'the menu of the field').to.be.false;
  });

  it('prevent copying, fields of the page in a slot are left to the page', async () => {
    const chat = mount();
    const ownField = document.createElement('input');
    ownField.slot = 'footer';
    chat.element.append(ownField);
    await chat.open();
    const targets: (EventTarget | null)[] = [];
    onPage(['mousedown'], ({ target }) => targets.push(target));
    await click(ownField);
    expect(targets).to.deep.equal([ownField]);
  });

  it('close a menu at a click outside, a click into the composer closes it', async () => {
    const chat = mount();
    await chat.open();
    const targets: string[] = [];
    const types = ['pointerdown', 'mousedown', 'click'];
    onPage(types, ({ type, target }) => targets.push(`${type} ${String(target === chat.element)}`));
    await click(chat.input);
    expect(targets).to.deep.equal(types.map((type) => `${type} true`));
  });

  it('animate scrolling, the wheel and a finger scroll the messages, and both zoom', async () => {
    const chat = mount();
    await chat.open();
    onPage(['wheel', 'touchmove'], (event) => {
      event.preventDefault();
    });
    const isTakenByPage = (event: Event): boolean => {
      chat.part('message-log').dispatchEvent(event);
      return event.defaultPrevented;
    };
    const init = { bubbles: true, composed: true, cancelable: true };
    const wheel = { ...init, deltaY: 100 };
    expect(isTakenByPage(new WheelEvent('wheel', wheel)), 'wheel').to.be.false;
    expect(isTakenByPage(new Event('touchmove', init)), 'finger').to.be.false;
    // Maps and drawings zoom with it, instead of the whole page.
    expect(isTakenByPage(new WheelEvent('wheel', { ...wheel, ctrlKey: true })), 'zoom').to.be.true;
  });
});
