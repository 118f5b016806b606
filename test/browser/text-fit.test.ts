import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { chatStates } from '../support/chat/chat-states.ts';
import { setViewport, supports } from '../support/browser/page.ts';
import { isReachable, isWithinWindow, put, settled, removeInserted } from '../support/chat/page-layout.ts';

/*
 * Checks the layout in many states for clipped text and for boxes outside the panel, with the fonts of any machine.
 * `test/e2e/pictures.spec.ts` compares pictures of some states.
 */

/** Clipped texts, boxes that scroll sideways, and elements outside the window. */
function lost(chat: Chat): string[] {
  return chat
    .findAll('.root *')
    .filter((element) => element.checkVisibility() && !element.closest('svg, i, .visually-hidden, option'))
    .flatMap((element) => {
      const { overflowX, overflowY, display, lineHeight } = getComputedStyle(element);
      if (display === 'inline' || display === 'contents') return [];
      const scrolls = (overflow: string): boolean => /auto|scroll/.test(overflow);
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      const name = `${element.localName} ${element.part.value} “${element.innerText.slice(0, 30)}”`;
      const isClipped = overflowX !== 'visible' || overflowY !== 'visible';
      const { left, right } = element.getBoundingClientRect();
      const isInScroller = element.parentElement?.closest('pre, .table, figure') !== null;
      return [
        isClipped && !element.matches('pre, .table') && scrollWidth > clientWidth + 1
          ? `${name} is cut off at its side, or scrolls there`
          : '',
        // Some fonts are higher than their lines; clipped text loses at least half a line.
        isClipped && !scrolls(overflowY) && scrollHeight > clientHeight + parseFloat(lineHeight) / 2
          ? `${name} is cut off below`
          : '',
        !isInScroller && (left < -0.5 || right > innerWidth + 0.5) ? `${name} leaves the window` : '',
      ].filter((found) => found !== '');
    });
}

/** Words of the header that are broken into several lines. */
function brokenWords(chat: Chat): string[] {
  return chat.findAll('.titles *').flatMap((element) => {
    const text = element.firstChild;
    if (!(text instanceof Text) || !element.checkVisibility()) return [];
    return [...text.data.matchAll(/[^\s\u00ad]+/g)].flatMap(({ 0: word, index }) => {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length > 1 ? word : [];
    });
  });
}

/** Buttons of the header and the composer that are covered, outside the window, or smaller than 24 by 24 pixels. */
function unreachableButtons(chat: Chat): string[] {
  const isCovered = (button: Element): boolean => !chat.find('.menu:popover-open') && !isReachable(button);
  return chat
    .findAll(':is([part="header"], [part="composer"]) button')
    .filter((button) => button.checkVisibility())
    .filter((button) => {
      const { width, height } = button.getBoundingClientRect();
      return width < 24 || height < 24 || isCovered(button) || !isWithinWindow(button);
    })
    .map(({ part, title }) => `${part.value} “${title}”`);
}

/** The font sizes of all visible texts, except in boxes of fixed size. */
function letterSizes(chat: Chat): Map<Element, number> {
  const hasText = (element: Element): boolean =>
    [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');
  const elements = chat
    .findAll('.root *')
    .filter((each) => hasText(each) && each.checkVisibility() && !each.closest('[part="badge"]'));
  return new Map(elements.map((each) => [each, parseFloat(getComputedStyle(each).fontSize)]));
}

/** Waits for elements that follow the window's size. */
async function expectNothingClipped(chat: Chat, when: string): Promise<void> {
  await until(() => lost(chat).length === 0, '').catch(() => undefined);
  expect(lost(chat).join('\n'), when).to.equal('');
}

/** The text spacing of WCAG 2.2, as a user style sheet. */
const spacing = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-block-end: 2em !important }`;

function space(chat: Chat): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(spacing);
  chat.element.shadowRoot?.adoptedStyleSheets.push(sheet);
}

async function cleanUp(): Promise<void> {
  await unmountAll();
  removeInserted();
  await setViewport(1000, 800);
}

describe('a heading and a subheading that are cut off', () => {
  afterEach(cleanUp);

  it('are shown whole in their titles', async () => {
    const chat = mount({
      heading: 'A long name '.repeat(9),
      subheading: 'We answer on every day '.repeat(5),
    });
    await chat.open();
    const lines = chat.findAll('.titles > *');
    expect(lines.map(({ title }) => title)).to.deep.equal(lines.map(({ textContent }) => textContent));
    expect(lines.map(({ title }) => title.slice(0, 6))).to.deep.equal(['A long', 'We ans']);
  });
});

describe('no text is cut off, and nothing scrolls sideways, in', () => {
  afterEach(cleanUp);

  for (const [state, openState] of Object.entries(chatStates)) {
    it(`${state}: with text spacing, a double font size and a zoom of 200 %`, async () => {
      await setViewport(1000, 800);
      const chat = await openState({ theme: 'light', lang: 'de' });
      if (chat.isOpen) await settled(chat);
      await expectNothingClipped(chat, 'as it is');
      const before = letterSizes(chat);
      chat.element.style.setProperty('--voice-assistant-chat-font-size', '30px');
      await expectNothingClipped(chat, 'in large letters');
      expect(brokenWords(chat), 'in large letters').to.deep.equal([]);
      for (const [element, size] of letterSizes(chat)) {
        const name = `letters of ${element.localName} ${element.part.value} “${element.textContent.slice(0, 30)}”`;
        expect(size, name).to.be.closeTo((before.get(element) ?? size / 2) * 2, 0.1);
      }
      chat.element.removeAttribute('style');
      await setViewport(640, 400);
      await expectNothingClipped(chat, 'zoomed');
      space(chat);
      await expectNothingClipped(chat, 'zoomed and spaced out');
      await setViewport(1000, 800);
      await expectNothingClipped(chat, 'spaced out');
      expect(document.documentElement.scrollWidth).to.be.at.most(innerWidth);
    });

    it(`${state}: at a width of 320 pixels, with a double font size and with text spacing`, async () => {
      // WebKit's window cannot be that narrow, so there an inline chat is in a narrow box.
      if (supports.phoneViewport) await setViewport(320, 568);
      const chat = await openState({ theme: 'light', lang: 'de' });
      if (!supports.phoneViewport && chat.find('[part="panel"]')) {
        chat.element.inline = true;
        put('div', 'width: 320px; height: 560px').append(chat.element);
        await chat.ready();
      }
      if (chat.isOpen) await settled(chat);
      await expectNothingClipped(chat, 'as it is');
      chat.element.style.setProperty('--voice-assistant-chat-font-size', '30px');
      await expectNothingClipped(chat, 'in large letters');
      expect(brokenWords(chat), 'in large letters').to.deep.equal([]);
      expect(unreachableButtons(chat), 'in large letters').to.deep.equal([]);
      const field = chat.find('[part="composer-input"]') as HTMLTextAreaElement | null;
      if (field?.value === '')
        expect(field.scrollHeight, 'the placeholder').to.be.at.most(field.clientHeight + 1);
      chat.element.removeAttribute('style');
      space(chat);
      await expectNothingClipped(chat, 'spaced out');
      expect(document.documentElement.scrollWidth).to.be.at.most(innerWidth);
    });
  }
});
