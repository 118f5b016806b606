import { expect } from '@open-wc/testing';
import { ChatElement, mount, nextEvent, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { recordPageErrors } from '../support/browser/page-errors.ts';
import { openPage } from '../support/chat/other-page.ts';
import { failScript, uncachedWidget } from '../support/browser/fail-script.ts';
import { whenIdle } from '../../src/widget/element/when-idle.ts';
import { click, press, setViewport } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

const appearance = { theme: 'light', color: '#0a5c48', position: 'right-bottom' };

/** The page's requests since the call. */
function requestsSince(): () => string[] {
  const since = performance.now();
  return () =>
    performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => startTime >= since)
      .map(({ name }) => name);
}

describe('an element without a valid assistant-id', () => {
  it('warns only if the page has not set it when it is idle, since Angular sets it after inserting', async () => {
    const warnings: unknown[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => warnings.push(words.join(' '));
    const append = () => {
      const element = document.createElement('voice-assistant-chat');
      document.body.append(element);
      return element;
    };
    const idle = () =>
      new Promise<void>((done) => {
        whenIdle(done);
      });
    try {
      const late = append();
      await new Promise(requestAnimationFrame);
      late.assistantId = service.assistantThatShows('greeting');
      await idle();
      late.remove();
      expect(warnings).to.deep.equal([]);
      const without = append();
      await until(() => warnings.length > 0, 'the warning');
      without.remove();
      const malformed = append();
      malformed.assistantId = 'x';
      await until(() => warnings.length > 1, 'the second warning');
      malformed.remove();
      expect(warnings).to.deep.equal([
        '<voice-assistant-chat> assistant-id is missing.',
        '<voice-assistant-chat> assistant-id is malformed.',
      ]);
    } finally {
      console.warn = warn;
    }
  });
});

describe('the launcher', () => {
  afterEach(unmountAll);

  for (const color of [
    'env(safe-area-inset-top',
    'attr(data-color',
    'if(media(print): red',
    'rgb(var(--x), 0, 0)',
    'rgb(1 2',
  ])
    it(`has a readable color and its corner if the site sets the color ${color}`, async () => {
      const chat = mount({ color, theme: 'light', position: 'left-top' });
      await until(() => chat.launcher.getBoundingClientRect().left < 100, 'the corner');
      expect(chat.launcher.getBoundingClientRect().top).to.be.below(100);
      expect(getComputedStyle(chat.launcher).backgroundColor).not.to.equal('rgba(0, 0, 0, 0)');
    });

  it('has the direction and name of its language before the panel is loaded', async () => {
    const chat = mount({ lang: 'ar', 'launcher-label': 'هل لديك سؤال؟', ...appearance });
    expect(getComputedStyle(chat.launcher).direction).to.equal('rtl');
    await until(() => chat.launcher.title === 'محادثة', 'the text of the language');
    expect(chat.find('section')).to.equal(null);
  });

  it('changes its name with its language and the texts of the site before the panel is loaded', async () => {
    const chat = mount({ lang: 'fr', ...appearance });
    await until(() => chat.launcher.title === 'Discussion', 'the text of the language');
    chat.element.lang = 'en';
    await until(() => chat.find('.root')?.lang === 'en', 'the language');
    expect(chat.launcher.title).to.equal('Chat');
    chat.element.messages = { chat: 'Ask us' };
    await until(() => chat.launcher.title === 'Ask us', 'the text of the site');
    chat.element.messages = undefined;
    await until(() => chat.launcher.title === 'Chat', 'the text of the language');
    expect(chat.find('section')).to.equal(null);
  });

  it('closes a chat that is still loading when Escape is pressed', async () => {
    const chat = mount({ lang: 'is' });
    chat.launcher.focus();
    chat.launcher.click();
    expect(chat.element.open).to.be.true;
    chat.launcher.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true }),
    );
    expect(chat.element.open).to.be.false;
    await chat.open();
    expect(chat.isOpen).to.be.true;
  });

  it('stays clear of the panel, however large its letters are', async () => {
    const chat = mount({
      'launcher-label': 'Any questions?',
      'launcher-sublabel': 'We are here',
      ...appearance,
    });
    chat.element.style.setProperty('--voice-assistant-chat-font-size', '26px');
    await chat.open();
    const gap = (): number =>
      chat.launcher.getBoundingClientRect().top - chat.part('panel').getBoundingClientRect().bottom;
    await until(() => gap() > 8 && gap() < 20, 'the gap');
  });

  it('may grow beside the open panel, without an error in the page', async () => {
    const { innerWidth: width, innerHeight: height } = window;
    // The panel is as high as the window allows.
    await setViewport(1000, 600);
    const chat = mount({ 'launcher-label': 'Ask', ...appearance });
    await chat.open();
    const panel = chat.part('panel');
    panel.dispatchEvent(new PointerEvent('pointerover'));
    await until(() => chat.find('[part="resize-handle"]') !== null, 'the handle');
    const errors = recordPageErrors();
    const shownHeight = (): number => Math.round(panel.getBoundingClientRect().height);
    const before = shownHeight();
    chat.element.launcherLabel = 'Ask us about boots, tents and returns. '.repeat(9);
    await until(() => shownHeight() < before, 'a lower panel');
    const handle = chat.part('resize-handle');
    await until(() => !!handle.ariaValueText?.endsWith(` ${shownHeight()}`), 'its size at the handle');
    errors.stop();
    await setViewport(width, height);
    expect(errors.messages).to.deep.equal([]);
  });

  it('is a button with a name and a state', async () => {
    const chat = mount();
    expect(chat.launcher.localName).to.equal('button');
    // Without a label, the launcher is named by the title.
    expect(chat.launcher.innerText.trim()).to.equal('');
    expect(chat.launcher.title).to.equal('Chat');
    expect(chat.launcher.getAttribute('aria-expanded')).to.equal('false');
    chat.element.messages = { chat: 'Questions' };
    await until(() => chat.launcher.title === 'Questions', 'the text of the site');
    chat.element.messages = undefined;
    chat.element.lang = 'ar';
    await chat.open();
    expect(chat.launcher.getAttribute('aria-expanded')).to.equal('true');
    expect(chat.launcher.title, 'the text of the language').to.equal('محادثة');
  });

  it('shows the labels that the site gives it, and is named by them', async () => {
    const chat = mount({ 'launcher-label': 'Any questions?', 'launcher-sublabel': 'We are here' });
    expect(chat.launcher.innerText).to.contain('Any questions?').and.to.contain('We are here');
    expect(chat.launcher.hasAttribute('aria-label')).to.be.false;
    chat.element.launcherLabel = null;
    chat.element.launcherSublabel = null;
    await until(() => chat.launcher.innerText.trim() === '', 'the launcher without a label');
  });

  it('requests the assistant’s settings at once, at low priority', async () => {
    const requests: [url: string, priority: string | undefined][] = [];
    const page = await openPage((view) => {
      const fetch = view.fetch.bind(view);
      view.fetch = (input, init) => {
        requests.push([input as string, init?.priority]);
        return fetch(input, init);
      };
      // This page is never idle.
      view.requestIdleCallback = () => 1;
    });
    const uuid = service.assistantThatShows('greeting');
    await until(() => requests.length > 0, 'the request');
    expect(requests[0]).to.deep.equal([`${service.url}/api/assistants/${uuid}/widget`, 'low']);
    page.close();
  });

  it('requests nothing if the attributes give the whole appearance', async () => {
    const requests = requestsSince();
    // No other test requests this assistant, so their requests do not count.
    const assistant = service.assistantThatShows('no-greeting');
    mount({ ...appearance, 'assistant-id': assistant });
    // A second widget makes the request; the first would have made one by the time of its answer.
    const other = mount({ 'assistant-id': service.assistantThatShows('settings') });
    await until(() => other.find('.root')?.dataset['theme'] === 'dark', 'the settings of the other widget');
    const apiRequests = requests().filter((url) => url.includes('/api/'));
    expect(apiRequests.join()).not.to.contain(assistant);
  });

  it('changes nothing in the page around it', async () => {
    const before = document.head.innerHTML;
    const bodyStyle = document.body.getAttribute('style');
    const { title } = document;
    const chat = mount();
    await chat.open();
    expect(document.head.innerHTML).to.equal(before);
    expect(document.body.getAttribute('style')).to.equal(bodyStyle);
    expect(document.title).to.equal(title);
    expect(document.adoptedStyleSheets).to.have.length(0);
    expect(chat.element.hasAttribute('style')).to.be.false;
    expect(chat.element.childNodes).to.have.length(0);
  });

  it('shows that it is busy while the chat loads', async () => {
    const chat = mount();
    const opacity = (): string => getComputedStyle(chat.launcher).opacity;
    await until(() => opacity() === '1', 'the launcher');
    const opacityWhenPressed = new Promise<string>((resolve) => {
      new MutationObserver(() => {
        resolve(opacity());
      }).observe(chat.launcher, { attributeFilter: ['aria-expanded'] });
    });
    chat.element.show();
    expect(Number(await opacityWhenPressed)).to.be.lessThan(1);
    await chat.ready();
    expect(opacity()).to.equal('1');
  });

  it('shows nothing empty while the texts of a language load', async () => {
    const chat = mount({ lang: 'hu' });
    const childrenWhenShown = new Promise<number>((resolve) => {
      new MutationObserver(() => {
        const panel = chat.find('#panel');
        if (panel && !panel.hidden) resolve(panel.childElementCount);
      }).observe(chat.element.shadowRoot as ShadowRoot, { subtree: true, childList: true, attributes: true });
    });
    chat.element.show();
    expect(await childrenWhenShown).to.be.greaterThan(0);
    await chat.ready();
  });

  it('keeps its language and direction while the texts of the panel load', async () => {
    const chat = mount({ lang: 'ur' });
    const root = chat.find('.root') as HTMLElement;
    const seen: string[] = [];
    new MutationObserver(() => seen.push(`${root.lang} ${root.dir}`)).observe(root, {
      attributeFilter: ['lang', 'dir'],
    });
    chat.element.show();
    await chat.ready();
    expect(seen.length).to.be.greaterThan(0);
    expect(seen.filter((each) => each !== 'ur rtl')).to.deep.equal([]);
  });

  it('opens and closes by mouse and by keyboard', async () => {
    const chat = mount();
    await click(chat.launcher);
    await until(() => chat.isOpen, 'the panel to open');
    await click(chat.launcher);
    await until(() => !chat.isOpen, 'the panel to close');
    chat.launcher.focus();
    await press('Enter');
    await until(() => chat.isOpen, 'the panel to open again');
  });

  it('opens at a double click, since nothing can be closed yet', async () => {
    const chat = mount();
    chat.launcher.click();
    chat.launcher.click();
    await chat.ready();
    expect(chat.element.open).to.be.true;
    chat.launcher.click();
    expect(chat.element.open).to.be.false;
  });

  it('notifies the page when it opens and closes', async () => {
    const chat = mount();
    const opened = nextEvent(document, 'chat-open');
    chat.element.show();
    await opened;
    expect(chat.element.open).to.be.true;
    const closed = nextEvent(document, 'chat-close');
    chat.element.toggle();
    await closed;
    expect(chat.element.hasAttribute('open')).to.be.false;
  });

  it('shows slotted content', () => {
    const chat = mount();
    const help = document.createElement('span');
    help.slot = 'launcher';
    help.textContent = 'Help';
    chat.element.append(help);
    expect(help.checkVisibility()).to.be.true;
    expect(help.assignedSlot?.closest('button')).to.equal(chat.launcher);
  });

  it('reports that the chat cannot be loaded, in the site’s own text if it has one', async () => {
    // The same script at an address without other files.
    const script = await (await fetch('/dist/voice-assistant-chat.js')).blob();
    const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    const { VoiceAssistantChat: Lonely } = (await import(address)) as {
      VoiceAssistantChat: typeof ChatElement;
    };
    customElements.define('lonely-chat', class extends Lonely {});
    const element = new (customElements.get('lonely-chat') as typeof ChatElement)();
    document.body.append(element);
    try {
      const notice = (): string => element.shadowRoot?.querySelector('[role="alert"]')?.textContent ?? '';
      element.show();
      await until(() => notice().startsWith('The chat did not load.'), 'the notice');
      expect(element.open).to.be.false;
      element.messages = { network: 'Keine Verbindung.' };
      element.show();
      await until(() => notice() === 'Keine Verbindung.', 'the text of the site');
      const root = element.shadowRoot as ShadowRoot;
      const [button, text] = [...root.querySelectorAll('button, [role="alert"]')].map((each) =>
        getComputedStyle(each),
      );
      expect(text?.backgroundColor, 'it does not look like a second button').to.not.equal(
        button?.backgroundColor,
      );
      expect(text?.cursor).to.not.equal('pointer');
    } finally {
      element.remove();
    }
  });

  it('reports that the chat cannot be loaded in its language, even if its texts load later', async () => {
    failScript('panel');
    const page = await openPage(undefined, uncachedWidget());
    try {
      const { element } = page.chat;
      element.lang = 'de';
      element.show();
      const notice = (): string => element.shadowRoot?.querySelector('[role="alert"]')?.textContent ?? '';
      await until(() => notice() === 'Die Verbindung ist abgebrochen.', 'the notice in German');
    } finally {
      failScript();
      page.close();
    }
  });

  it('can be hidden by the page with the hidden attribute', () => {
    const chat = mount();
    chat.element.hidden = true;
    expect(chat.launcher.checkVisibility()).to.be.false;
  });

  for (const style of ['display:none', 'display: none;', 'color: red; display: none !important;'])
    it(`can be hidden by the page with the style ${style}, also while the chat is open`, async () => {
      const chat = mount();
      await chat.open();
      chat.element.setAttribute('style', style);
      expect(chat.launcher.checkVisibility()).to.equal(false);
      expect(chat.isOpen).to.equal(false);
      chat.element.style.display = '';
      expect(chat.launcher.checkVisibility()).to.equal(true);
      expect(chat.isOpen).to.equal(true);
      chat.element.inline = true;
      await chat.ready();
      chat.element.style.display = 'none';
      expect(chat.isOpen).to.equal(false);
    });
});

describe('attributes and properties', () => {
  afterEach(unmountAll);

  it('reflect each other', () => {
    const { element } = mount();
    element.launcherLabel = 'Hi';
    expect(element.getAttribute('launcher-label')).to.equal('Hi');
    element.setAttribute('base-url', 'https://example.com');
    expect(element.baseUrl).to.equal('https://example.com');
    element.inline = true;
    expect(element.getAttribute('inline')).to.equal('');
    element.inline = false;
    expect(element.hasAttribute('inline')).to.be.false;
    element.variables = { first_name: 'Ada' };
    expect(element.getAttribute('variables')).to.equal('{"first_name":"Ada"}');
    expect(element.variables).to.deep.equal({ first_name: 'Ada' });
    element.variables = undefined;
    expect(element.hasAttribute('variables')).to.be.false;
  });

  it('accept properties set before the element is defined', () => {
    const element = document.createElement('late-chat');
    Object.assign(element, { launcherLabel: 'Set early', inline: false, assistantId: 'x' });
    customElements.define('late-chat', class extends ChatElement {});
    document.body.append(element);
    expect(element.getAttribute('launcher-label')).to.equal('Set early');
    expect(element.getAttribute('assistant-id')).to.equal('x');
    expect(element.shadowRoot?.querySelector('button')?.innerText).to.contain('Set early');
    element.remove();
  });

  it('fall back, with one warning, if they are invalid', () => {
    const warnings: unknown[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => warnings.push(words.join(' '));
    try {
      const one = mount({
        type: 'demo',
        persist: 'forever',
        variables: '{oops',
        theme: 'sepia',
        position: 'middle',
      });
      const two = mount({ type: 'demo', persist: 'forever', variables: '{oops' });
      expect([one.element.type, one.element.persist, one.element.variables]).to.deep.equal([
        'widget',
        'local',
        undefined,
      ]);
      expect(two.element.type).to.equal('widget');
    } finally {
      console.warn = warn;
    }
    for (const word of ['type="demo"', 'persist="forever"', 'variables=']) {
      expect(
        warnings.filter((line) => String(line).includes(word)),
        word,
      ).to.have.length(1);
    }
  });

  it('accept a BigInt, as text', () => {
    const { element } = mount();
    element.variables = { balance: 10n, list: [2n] };
    expect(element.variables).to.deep.equal({ balance: '10', list: ['2'] });
  });

  it('ignore variables and context with a cycle, with one warning each, and the chat works', async () => {
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => warnings.push(words.join(' '));
    try {
      const chat = mount();
      chat.element.variables = { cyclic };
      chat.element.context = { cyclic };
      expect(chat.element.variables).to.equal(undefined);
      await chat.open();
      await chat.ask('Do you have gift cards?');
      await chat.answered(2);
      expect(chat.problems).to.deep.equal([]);
    } finally {
      console.warn = warn;
    }
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.match(/variables=.*cycl|variables=.*circular/i);
    expect(warnings[1]).to.match(/context.*cycl|context.*circular/i);
  });

  it('ignore a context that is not an object, with a warning, and the chat works', async () => {
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => warnings.push(words.join(' '));
    try {
      const chat = mount();
      // From `data-context`, or an attribute in a template.
      Object.assign(chat.element, { context: JSON.stringify({ plan: 'p'.repeat(200) }) });
      await chat.open();
      await chat.answered(1);
      expect(chat.problems).to.deep.equal([]);
      await chat.ask('Do you have gift cards?');
      await chat.answered(2);
    } finally {
      console.warn = warn;
    }
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/context.*object/i);
  });

  it('accept enumerated values in any letter case', () => {
    const { element } = mount({ type: 'TEST', persist: ' Session ' });
    expect([element.type, element.persist]).to.deep.equal(['test', 'session']);
  });
});
