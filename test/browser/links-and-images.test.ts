import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { mount, unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { settled } from '../support/chat/page-layout.ts';

/** Opens a chat with an answer. */
async function openWithAnswer(
  content: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<Chat> {
  serveHistory([{ role: 'assistant', content }]);
  const chat = mount({ 'base-url': cannedService, lang: 'en', ...attributes });
  await chat.open();
  await until(() => chat.find('.markdown') !== null, 'the Markdown');
  return chat;
}

/** The URL of an image of the site that no other test has loaded. */
const map = (name: string): string =>
  `${location.origin}/demo/site/art/shop.svg?${name}-${crypto.randomUUID()}`;

describe('links and images in an answer', () => {
  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('say that they open in a new tab', async () => {
    const chat = await openWithAnswer('See [the table](https://example.com).');
    const link = chat.find('.markdown a') as HTMLAnchorElement;
    expect([link.target, link.title]).to.deep.equal(['_blank', 'opens in a new tab']);
    expect(link.innerText).to.equal('the table');
  });

  it('open no tab for telephone numbers and e-mail addresses', async () => {
    const chat = await openWithAnswer('Call [us](tel:+4930123456) or [write](mailto:a@b.example).');
    for (const link of chat.findAll('.markdown a') as HTMLAnchorElement[])
      expect([link.target, link.title], link.href).to.deep.equal(['', '']);
  });

  it('show images of allowed origins, with alternative text and lazily, and others as links', async () => {
    const chat = await openWithAnswer(
      `![A pixel](${location.origin}/pixel.png) ![Another](https://evil.example/collect?secret=1)`,
      { 'allow-images': `nonsense ${location.origin}/` },
    );
    const images = chat.findAll('.markdown img') as HTMLImageElement[];
    expect(images.map(({ src, alt, loading }) => [src, alt, loading])).to.deep.equal([
      [`${location.origin}/pixel.png`, 'A pixel', 'lazy'],
    ]);
    const links = chat.findAll('.markdown a') as HTMLAnchorElement[];
    expect(links.map(({ href, target }) => [href, target])).to.deep.equal([
      [`${location.origin}/pixel.png`, '_blank'],
      ['https://evil.example/collect?secret=1', '_blank'],
    ]);
    expect(links[0]?.contains(images[0] ?? null), 'the image leads to itself').to.be.true;
    expect(links[1]?.innerText).to.equal('Another');
    // The image does not exist, so its alternative text shows in its place.
    await until(() => links[0]?.innerText.trim() === 'A pixel', 'the text instead of the image');
    const { width, height } = images[0]?.getBoundingClientRect() as DOMRect;
    expect(
      [getComputedStyle(images[0] as Element).opacity, Math.round((4 * height) / width)].join(),
    ).to.equal('0,3');
  });

  it('show images within links as links, and never nest links', async () => {
    const chat = await openWithAnswer(
      `[![A map](${map('linked')})](https://example.com/a) [![Another](https://evil.example/x)](https://example.com/b)`,
      { 'allow-images': location.origin },
    );
    const links = chat.findAll('.markdown a') as HTMLAnchorElement[];
    expect(links.map(({ href }) => href)).to.deep.equal(['https://example.com/a', 'https://example.com/b']);
    expect(chat.find('.markdown a img')?.getAttribute('alt')).to.equal('A map');
    expect(links[1]?.innerText).to.equal('Another');
  });

  it('reserve room for an image before it loads, so that nothing moves', async () => {
    // Far apart, so that the engine requests the first one only when it is scrolled near.
    const lines = 'A line.\n'.repeat(400);
    serveHistory([
      { role: 'assistant', content: `![A map](${map('above')})\n\n**Below the map.**\n\n${lines}` },
      { role: 'assistant', content: `Here:\n\n![A map](${map('in-sight')})` },
    ]);
    const chat = mount({ 'base-url': cannedService, lang: 'en', 'allow-images': location.origin });
    const images = (): HTMLImageElement[] => chat.findAll('.markdown img') as HTMLImageElement[];
    const sizes = (): string =>
      images()
        .map(({ offsetWidth, offsetHeight }) => `${offsetWidth} x ${offsetHeight}`)
        .join();
    const isLoaded = (image: HTMLImageElement | undefined): boolean => (image?.naturalWidth ?? 0) > 0;
    // The sizes before any image has loaded.
    let initialSizes = '';
    await until(() => chat.element.shadowRoot !== null, 'the launcher');
    const observer = new MutationObserver(() => {
      if (initialSizes === '' && images().length === 2 && !images().some(isLoaded)) initialSizes = sizes();
    });
    observer.observe(chat.element.shadowRoot as ShadowRoot, { childList: true, subtree: true });
    await chat.open();
    await until(() => isLoaded(images()[1]), 'the image at the end');
    observer.disconnect();
    const log = chat.part('message-log');
    await until(
      () => log.scrollHeight - log.scrollTop - log.clientHeight < 2,
      'the log to scroll to its end',
    );
    expect(initialSizes).to.match(/^\d{3} x \d{3},\d{3} x \d{3}$/);
    expect(sizes()).to.equal(initialSizes);

    // Waits for other layout changes while the chat opens.
    await until(() => chat.find('.follows') !== null, 'the messages to be grouped');
    await settled(chat);
    const { scrollHeight } = log;
    const read = chat.find('.markdown strong') as HTMLElement;
    read.scrollIntoView({ block: 'start' });
    const position = read.getBoundingClientRect().top;
    await until(() => isLoaded(images()[0]), 'the image above the viewport');
    expect(Math.abs(read.getBoundingClientRect().top - position)).to.be.below(1);
    expect([sizes(), log.scrollHeight]).to.deep.equal([initialSizes, scrollHeight]);
    expect(log.scrollWidth).to.equal(log.clientWidth);
  });
});
