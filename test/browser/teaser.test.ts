import { expect } from '@open-wc/testing';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { service } from '../support/browser/service-under-test.ts';
import { click, engine, press, setViewport, supports } from '../support/browser/page.ts';
import { isReachable, isWithinWindow } from '../support/chat/page-layout.ts';

const look = { theme: 'light', color: '#0a5c48', position: 'right-bottom' };
const invitation = { ...look, teaser: 'Questions about sizes? Ask away.', 'teaser-delay': '0' };

function teaserOf(chat: Chat): HTMLElement | null {
  return chat.find('[part="teaser"]');
}

/** Whether the teaser is visible. */
function isTeaserVisible(chat: Chat): boolean {
  return teaserOf(chat)?.checkVisibility({ visibilityProperty: true }) ?? false;
}

async function invited(chat: Chat): Promise<HTMLElement> {
  await until(() => isTeaserVisible(chat), 'the teaser');
  return teaserOf(chat) as HTMLElement;
}

/** Mounts another element with the same attributes, and waits until it could have shown a teaser. */
async function nextVisit(attributes: Readonly<Record<string, string>>): Promise<Chat> {
  const chat = mount(attributes);
  // Its teaser is shown just after the first one would have shown its own.
  const other = mount({ ...invitation, persist: 'none' });
  await invited(other);
  other.element.remove();
  return chat;
}

describe('the teaser', () => {
  afterEach(unmountAll);

  it('shows beside the launcher, without taking the focus or loading the panel', async () => {
    const { activeElement } = document;
    const chat = mount(invitation);
    const teaser = await invited(chat);
    expect(teaser.innerText).to.contain('Questions about sizes?');
    expect(document.activeElement).to.equal(activeElement);
    expect(chat.find('#panel')).to.be.null;
  });

  it('opens the chat when it is clicked, and disappears', async () => {
    const chat = mount(invitation);
    const teaser = await invited(chat);
    await click(teaser.querySelector('button') as Element);
    await chat.ready();
    await until(() => teaserOf(chat) === null, 'the teaser to disappear');
    chat.element.hide();
    expect(isTeaserVisible(chat)).to.be.false;
  });

  it('waits for as long as the site says, and five seconds if that is invalid', async () => {
    for (const [delay, expected] of [
      ['3600', '3600s'],
      ['0.5', '0.5s'],
      ['soon', '5s'],
      ['-1', '5s'],
      ['Infinity', '5s'],
      ['', '5s'],
    ] as const) {
      const chat = mount({ ...invitation, 'teaser-delay': delay });
      await until(() => teaserOf(chat) !== null, 'the teaser to wait');
      expect(getComputedStyle(teaserOf(chat) as Element).animationDelay, delay).to.equal(expected);
      chat.element.remove();
    }
    const chat = mount({ ...look, teaser: 'Hello' });
    await until(() => teaserOf(chat) !== null, 'the teaser to wait');
    const teaser = teaserOf(chat) as HTMLElement;
    expect(getComputedStyle(teaser).animationDelay).to.equal('5s');
    expect(isTeaserVisible(chat)).to.be.false;
    // Ends the delay now.
    for (const animation of teaser.getAnimations()) animation.finish();
    expect(isTeaserVisible(chat)).to.be.true;
  });

  for (const position of ['right-bottom', 'left-bottom', 'right-top', 'left-top']) {
    it(`does not overlap the launcher and stays inside the window, ${position}`, async () => {
      const chat = mount({ ...invitation, position });
      const teaser = (await invited(chat)).getBoundingClientRect();
      const launcher = chat.launcher.getBoundingClientRect();
      expect(position.includes('bottom') ? teaser.bottom < launcher.top : teaser.top > launcher.bottom).to.be
        .true;
      expect(
        position.includes('left') ? teaser.left - launcher.left : teaser.right - launcher.right,
      ).to.be.closeTo(0, 1);
      expect(Math.min(teaser.left, teaser.top)).to.be.at.least(0);
      expect(teaser.right).to.be.at.most(innerWidth);
    });
  }

  it('does not overlap a launcher whose label has several lines, even if it changes later', async function () {
    if (!supports.phoneViewport) this.skip();
    await setViewport(320, 480);
    try {
      const chat = mount(invitation);
      const teaser = await invited(chat);
      chat.element.setAttribute('launcher-label', 'Ask us about sizes, delivery and your last order');
      chat.element.setAttribute('launcher-sublabel', 'We answer within a minute on every day');
      await until(() => chat.launcher.offsetHeight > 90, 'a high launcher');
      const isUncovered = (): boolean =>
        teaser.getBoundingClientRect().bottom < chat.launcher.getBoundingClientRect().top;
      await until(isUncovered, 'the teaser to make room');
    } finally {
      await setViewport(800, 600);
    }
  });

  it('breaks long words, also on a phone', async function () {
    if (!supports.phoneViewport) this.skip();
    await setViewport(320, 640);
    try {
      const chat = mount({ ...invitation, teaser: 'Donaudampfschifffahrtsgesellschaft'.repeat(3) });
      const teaser = await invited(chat);
      expect(teaser.scrollWidth).to.be.at.most(teaser.clientWidth);
      expect(teaser.getBoundingClientRect().left).to.be.at.least(0);
    } finally {
      await setViewport(800, 600);
    }
  });

  it('stays within a low window, where its text scrolls beside its button', async function () {
    if (!supports.phoneViewport) this.skip();
    await setViewport(667, 375);
    try {
      const chat = mount({ ...invitation, teaser: 'Questions about sizes or returns? Ask us. '.repeat(12) });
      const teaser = await invited(chat);
      expect(teaser.getBoundingClientRect().top).to.be.at.least(0);
      teaser.scrollTop = teaser.scrollHeight;
      expect(teaser.scrollTop).to.be.above(0);
      expect(isWithinWindow(chat.part('teaser-dismiss-button'))).to.be.true;
      expect(isReachable(chat.part('teaser-dismiss-button'))).to.be.true;
    } finally {
      await setViewport(800, 600);
    }
  });

  it('is dismissed for good', async () => {
    const chat = mount(invitation);
    await invited(chat);
    await click(chat.part('teaser-dismiss-button'));
    expect(teaserOf(chat)).to.be.null;
    chat.element.remove();
    expect(teaserOf(await nextVisit(invitation))).to.be.null;
  });

  it('is dismissed by Escape, and passes its focus to the launcher', async () => {
    const chat = mount(invitation);
    const teaser = await invited(chat);
    (teaser.querySelector('button') as HTMLElement).focus();
    await press('Escape');
    expect(teaserOf(chat)).to.be.null;
    expect(chat.element.shadowRoot?.activeElement === chat.launcher).to.be.true;
  });

  it('is dismissed without storing anything with persist="none"', async () => {
    const chat = mount({ ...invitation, persist: 'none' });
    await invited(chat);
    await click(chat.part('teaser-dismiss-button'));
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
  });

  it('can be dismissed if storage is blocked', async () => {
    const { getItem, setItem } = Object.getOwnPropertyDescriptors(Storage.prototype);
    const refuse = (): never => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    };
    Storage.prototype.setItem = refuse;
    try {
      const chat = mount(invitation);
      await invited(chat);
      await click(chat.part('teaser-dismiss-button'));
      expect(teaserOf(chat)).to.be.null;
      Storage.prototype.getItem = function (key) {
        return key === 'voice-assistant-chat:teaser' ? refuse() : ((this[key] ?? null) as string | null);
      };
      expect(await invited(mount(invitation))).not.to.be.null;
    } finally {
      Object.defineProperties(Storage.prototype, { getItem, setItem });
    }
  });

  it('has the language of the page, whichever the assistant speaks', async () => {
    const chat = mount({
      teaser: invitation.teaser,
      'teaser-delay': '0',
      'assistant-id': service.assistantThatShows('german'),
    });
    await until(() => chat.find('.root')?.lang === 'de', 'the language of the assistant');
    expect((await invited(chat)).lang).to.equal('en');
    await until(() => chat.part('teaser-dismiss-button').title === 'Dismiss', 'the name of the button');
  });

  it('names its button in the language of the page', async () => {
    for (const [lang, label] of [
      ['en', 'Dismiss'],
      ['de-AT', 'Ausblenden'],
    ] as const) {
      const chat = mount({ ...invitation, lang });
      await invited(chat);
      await until(() => chat.part('teaser-dismiss-button').title === label, `“${label}”`);
      chat.element.remove();
    }
    const chat = mount({ ...invitation, lang: 'de' });
    chat.element.messages = { dismiss: 'Nicht jetzt' };
    await invited(chat);
    await until(() => chat.part('teaser-dismiss-button').title === 'Nicht jetzt', 'the text of the site');
  });

  it('does not show to a visitor who has chatted before', async () => {
    const first = mount(look);
    await first.open();
    await until(() => localStorage.length > 0 && first.messages.length > 0, 'a conversation');
    first.element.remove();
    expect(teaserOf(await nextVisit(invitation))).to.be.null;
  });

  it('shows to a visitor who has chatted with another assistant, also if the page sets the assistant later', async () => {
    const stored = `${service.url}:${service.assistantThatShows('greeting')}:widget`;
    localStorage.setItem(`voice-assistant-chat:conversation:${stored}`, '{}');
    const chat = mount({ ...invitation, 'assistant-id': '' });
    await invited(chat);
    chat.element.assistantId = service.assistantThatShows('german');
    // Its teaser is shown just after the first one would have disappeared.
    await invited(mount({ ...invitation, persist: 'none' }));
    expect(isTeaserVisible(chat)).to.be.true;
    chat.element.assistantId = service.assistantThatShows('greeting');
    await until(() => teaserOf(chat) === null, 'the teaser to disappear');
  });

  it('follows its attribute, and is removed with it', async () => {
    const chat = mount(invitation);
    const teaser = await invited(chat);
    chat.element.teaser = 'New in: boots';
    await until(() => teaser.innerText.includes('New in: boots'), 'the new text');
    chat.element.teaser = null;
    await until(() => teaserOf(chat) === null, 'the teaser to disappear');
    chat.element.teaser = 'Back again';
    expect((await invited(chat)).innerText).to.contain('Back again');
    chat.element.inline = true;
    await until(() => teaserOf(chat) === null, 'the teaser to disappear when there is no launcher');
  });

  it('waits again after its element was removed', async () => {
    const chat = mount({ ...invitation, 'teaser-delay': '3600' });
    await until(() => teaserOf(chat) !== null, 'the teaser to wait');
    const teaser = teaserOf(chat) as HTMLElement;
    for (const animation of teaser.getAnimations()) animation.finish();
    expect(isTeaserVisible(chat)).to.be.true;
    chat.element.remove();
    expect(teaser.getAnimations()).to.deep.equal([]);
    document.body.append(chat.element);
    await until(() => !isTeaserVisible(chat) && teaserOf(chat) !== null, 'the teaser to wait again');
  });

  it('has targets of 44 pixels', async () => {
    const chat = mount({ ...invitation, teaser: 'Hi' });
    for (const button of (await invited(chat)).querySelectorAll('button')) {
      const { width, height } = button.getBoundingClientRect();
      // Engines round a line's height differently.
      expect(Math.min(height, button.matches('[part]') ? width : 44), engine).to.be.at.least(43.9);
    }
  });
});
