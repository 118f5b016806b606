import { expect } from '@open-wc/testing';
import { violations } from '../support/chat/axe-violations.ts';
import { faulty, mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { chatStates } from '../support/chat/chat-states.ts';
import { emulateMedia, press, setViewport, supports } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

describe('axe finds no violation in', () => {
  beforeEach(() => setViewport(1000, 800));
  afterEach(async () => {
    await unmountAll();
    if (supports.emulateMedia) await emulateMedia({ forcedColors: 'none' });
  });

  // One language per group of scripts. Each state is reached once, then changes theme and language in place.
  const languages = { 'left to right': 'de', 'right to left': 'ar', Chinese: 'zh' };

  for (const [state, openState] of Object.entries(chatStates)) {
    it(`${state}: light and dark, ${Object.keys(languages).join(', ')}`, async () => {
      const chat = await openState({ theme: 'light', lang: 'de' });
      for (const lang of Object.values(languages)) {
        chat.element.lang = lang;
        if (chat.isOpen) await until(() => chat.find('.root')?.lang === lang, `texts in ${lang}`);
        for (const theme of ['light', 'dark'] as const) {
          chat.element.theme = theme;
          await until(() => chat.find('.root')?.dataset['theme'] === theme, theme);
          expect(await violations(chat), `${theme}, ${lang}`).to.equal('');
        }
      }
    });
  }

  for (const color of ['#f5d90a', '#808080', '#c0ffee', '#8a1f11']) {
    it(`a conversation in ${color}, light and dark`, async () => {
      const chat = mount({ theme: 'light', color, position: 'left-top' });
      await chat.open();
      await chat.ask('Hello');
      await chat.answered(2);
      expect(await violations(chat)).to.equal('');
      chat.element.theme = 'dark';
      await until(() => chat.find('.root')?.dataset['theme'] === 'dark', 'the dark theme');
      expect(await violations(chat)).to.equal('');
    });
  }

  it('a countdown, the problem of a broken service, and an empty conversation', async () => {
    const limited = mount({ 'base-url': faulty('too-many-requests') });
    await limited.open();
    await limited.ask('Hello');
    await limited.problem(/Trying again/);
    expect(await violations(limited)).to.equal('');
    await unmountAll();
    const broken = mount({ 'base-url': faulty('html') });
    broken.element.show();
    await until(() => broken.problems.length === 1, 'the problem');
    expect(await violations(broken)).to.equal('');
    await unmountAll();
    const empty = mount({ 'assistant-id': service.assistantThatShows('no-greeting') });
    await empty.open();
    expect(await violations(empty)).to.equal('');
  });

  it('an inline chat', async () => {
    const inline = mount({ inline: '' });
    await inline.ready();
    expect(await violations(inline)).to.equal('');
  });

  it('forced colors', async function () {
    if (!supports.emulateMedia) this.skip();
    await emulateMedia({ forcedColors: 'active' });
    for (const openState of Object.values(chatStates)) {
      expect(await violations(await openState({ theme: 'light' }))).to.equal('');
      await unmountAll();
    }
  });
});

describe('forced colors', () => {
  afterEach(async () => {
    if (supports.emulateMedia) await emulateMedia({ forcedColors: 'none' });
    await unmountAll();
  });

  it('show which button is pressed, also if it has the focus', async function () {
    if (!supports.emulateMedia) this.skip();
    await emulateMedia({ forcedColors: 'active' });
    const chat = mount({ type: 'test' });
    await chat.open();
    await until(() => chat.find('[part="inspector"]') !== null, 'the inspector');
    const button = chat.part('inspect-button');
    const border = (): string => getComputedStyle(button).borderTopWidth;
    await until(() => border() === '2px', 'the styles');
    expect(button.ariaPressed).to.equal('true');
    await press('Tab');
    button.focus();
    expect([border(), getComputedStyle(button).outlineWidth]).to.deep.equal(['2px', '3px']);
    button.click();
    await until(() => button.ariaPressed === 'false', 'the button to be released');
    expect(border()).to.equal('1px');
  });

  it('show the rating of an answer, also if its button has the focus', async function () {
    if (!supports.emulateMedia) this.skip();
    await emulateMedia({ forcedColors: 'active' });
    const chat = mount();
    await chat.open();
    await chat.answered(1);
    chat.findAll('article').at(-1)?.focus();
    await until(() => chat.find('[part="rate-button"]') !== null, 'the buttons');
    const [button] = chat.findAll('[part="rate-button"]') as [HTMLElement, HTMLElement];
    await press('Tab');
    button.focus();
    const shown = (): string[] => {
      const { borderTopWidth, outlineWidth } = getComputedStyle(button);
      return [borderTopWidth, outlineWidth];
    };
    expect(shown()).to.deep.equal(['0px', '3px']);
    await press('Enter');
    await until(() => button.ariaPressed === 'true', 'the rating');
    expect(shown()).to.deep.equal(['2px', '3px']);
  });
});

describe('a screen reader', () => {
  afterEach(unmountAll);

  it('finds a dialog named after the assistant, and a region when inline', async () => {
    const chat = mount({ heading: 'Ask Nordkamm' });
    await chat.open();
    const panel = chat.part('panel');
    expect(panel.getAttribute('role')).to.equal('dialog');
    expect(chat.find(`#${panel.getAttribute('aria-labelledby') ?? ''}`)?.innerText).to.equal('Ask Nordkamm');
    const inline = mount({ inline: '' });
    await inline.ready();
    expect(inline.part('panel').getAttribute('role')).to.equal('region');
  });

  it('reads the name of a button once', async () => {
    const chat = mount({ voice: 'dictation' });
    await chat.open();
    await chat.ask('What are your opening hours?');
    await chat.answered(2);
    // A title beside a label is read as its description.
    const named = chat.findAll('[title]').filter(({ title, ariaLabel }) => title === ariaLabel);
    expect(named.map(({ part }) => part.value)).to.deep.equal([]);
    expect(chat.findAll('button').every((button) => button.title || button.innerText.trim())).to.be.true;
  });

  it('finds none of the landmarks that a page has once', async () => {
    const chat = mount();
    await chat.open();
    // Chromium makes a header in a dialog the banner of the page.
    expect(chat.findAll('header, footer, main').length).to.equal(0);
  });

  it('reads the author of each message', async () => {
    const chat = mount({ heading: 'Kim' });
    await chat.open();
    await chat.ask('Hello');
    await chat.answered(2);
    const [greeting, question] = chat
      .findAll('[part~="message"]')
      .map(({ innerText, textContent }) => innerText || textContent);
    expect(greeting).to.match(/^\s*Kim:\s/);
    expect(question).to.match(/^\s*You:\s+Hello/);
  });
});
