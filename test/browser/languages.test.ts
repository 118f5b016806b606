import { expect } from '@open-wc/testing';
import { violations } from '../support/chat/axe-violations.ts';
import { faulty, mount, nextEvent, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { setViewport, supports } from '../support/browser/page.ts';
import { service } from '../support/browser/service-under-test.ts';

/** Opens the chat, if it is not open yet, and waits for texts in the given language. */
async function speaks(chat: Chat, language: string): Promise<void> {
  await (chat.element.inline ? chat.ready() : chat.open());
  const root = () => chat.find('.root')?.lang;
  await until(() => root() === language, `${language}; the chat speaks ${root() ?? 'nothing'}`);
}

/** Elements outside the panel, or wider than their visible part. */
function overflowing(chat: Chat): string[] {
  const panel = chat.part('panel').getBoundingClientRect();
  const isOutside = (element: Element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 0 && (left < panel.left - 0.5 || right > panel.right + 0.5);
  };
  return chat
    .findAll('[part~="panel"] *')
    .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden, svg'))
    .filter(isOutside)
    .map((element) => `${element.localName} ${element.part.value}: ${element.innerText}`);
}

describe('the language of the chat', () => {
  const { language } = navigator;
  const setBrowserLanguage = (value: string) =>
    Object.defineProperty(navigator, 'language', { value, configurable: true });

  afterEach(async () => {
    await unmountAll();
    document.documentElement.lang = 'en';
    setBrowserLanguage(language);
  });

  it('is that of `lang` first', async () => {
    document.documentElement.lang = 'fr';
    await speaks(mount({ lang: 'ja', 'assistant-id': service.assistantThatShows('german') }), 'ja');
  });

  it('is the assistant’s when the element has none', async () => {
    document.documentElement.lang = 'fr';
    await speaks(mount({ 'assistant-id': service.assistantThatShows('german') }), 'de');
  });

  it('is the page’s when the assistant has none', async () => {
    document.documentElement.lang = 'fr';
    setBrowserLanguage('it-CH');
    await speaks(mount({ 'base-url': faulty('html') }), 'fr');
  });

  it('is that of a component whose shadow root contains the element', async () => {
    const component = document.createElement('div');
    component.lang = 'fr';
    document.body.append(component);
    const chat = mount({ 'base-url': faulty('html') }, component.attachShadow({ mode: 'open' }));
    await speaks(chat, 'fr');
    component.remove();
  });

  it('is the page’s when there are no texts for its own', async () => {
    document.documentElement.lang = 'fr';
    for (const lang of ['tlh', '']) {
      await speaks(mount({ 'base-url': faulty('html'), lang }), 'fr');
      await unmountAll();
    }
  });

  it('is the browser’s when there are no texts for the page’s', async () => {
    document.documentElement.lang = 'tlh';
    setBrowserLanguage('it-CH');
    await speaks(mount({ 'base-url': faulty('html') }), 'it');
  });

  it('is English when there are no texts for any', async () => {
    document.documentElement.lang = 'tlh';
    setBrowserLanguage('tlh');
    await speaks(mount({ 'base-url': faulty('html') }), 'en');
  });

  for (const [tag, texts] of [
    ['pt-BR', 'pt-br'],
    ['pt-PT', 'pt'],
    ['de-AT', 'de'],
    ['zh-Hant-HK', 'zh-tw'],
    ['no', 'nb'],
  ] as const) {
    it(`is ${texts} for ${tag}`, async () => {
      await speaks(mount({ lang: tag }), texts);
    });
  }

  it('is English for the messages of the service', async () => {
    const chat = mount({ lang: 'de', 'base-url': faulty('not-found') });
    chat.element.show();
    await chat.problem(/Assistant not found/);
    const title = chat.find('[part="problem"] strong :lang(en)');
    expect(title?.textContent).to.equal('Assistant not found');
    expect(chat.find('[part="problem"] strong')?.matches(':lang(de)')).to.be.true;
  });

  it('changes while the chat is open, direction included', async () => {
    const chat = mount({ lang: 'ru' });
    await speaks(chat, 'ru');
    expect(chat.input.placeholder).to.equal('Напишите сообщение…');
    chat.element.lang = 'he';
    await until(() => chat.input.placeholder === 'כאן כותבים הודעה…', 'Hebrew');
    expect(chat.find('.root')?.lang).to.equal('he');
    expect(chat.find('.root')?.dir).to.equal('rtl');
  });
});

describe('a chat of 320 pixels shows everything and has no axe violations in', () => {
  let parent: HTMLElement;
  let attributes: Record<string, string>;

  beforeEach(async () => {
    parent = document.createElement('div');
    document.body.append(parent);
    attributes = {};
    if (supports.phoneViewport) {
      await setViewport(320, 640);
    } else {
      parent.style.cssText = 'width: 320px; height: 560px';
      attributes['inline'] = '';
    }
  });

  afterEach(async () => {
    await unmountAll();
    parent.remove();
    if (supports.phoneViewport) await setViewport(800, 600);
  });

  const groups = {
    'long Latin words': 'fi',
    'Latin words with many marks': 'vi',
    Cyrillic: 'ru',
    Greek: 'el',
    Arabic: 'fa',
    Hebrew: 'he',
    Devanagari: 'hi',
    Tamil: 'ta',
    Thai: 'th',
    Chinese: 'zh-tw',
    Japanese: 'ja',
    Korean: 'ko',
    Georgian: 'ka',
  };

  for (const [name, lang] of Object.entries(groups)) {
    it(`${name} (${lang})`, async () => {
      const chat = mount({ ...attributes, lang, type: 'test' }, parent);
      await speaks(chat, lang);
      expect(chat.part('panel').getBoundingClientRect().width).to.equal(320);
      chat.element.send('x'.repeat(2001));
      await until(() => chat.input.getAttribute('aria-invalid') === 'true', 'the explanation');
      await until(() => chat.find('[part="inspector"]') !== null, 'the inspector');
      expect(overflowing(chat)).to.deep.equal([]);
      expect(document.documentElement.scrollWidth).to.equal(innerWidth);
      expect(await violations(chat)).to.equal('');
      await unmountAll();

      const broken = mount({ ...attributes, lang, 'base-url': faulty('html') }, parent);
      const failed = nextEvent(broken.element, 'chat-error');
      broken.element.show();
      await failed;
      await until(() => broken.problems.length === 1, 'the problem');
      expect(overflowing(broken)).to.deep.equal([]);
      expect(await violations(broken)).to.equal('');
    });
  }
});
