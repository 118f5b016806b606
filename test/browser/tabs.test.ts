import { expect } from '@open-wc/testing';
import { type Chat, conversationKey, mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { buttonIn, productQuestion, showProduct, toolRequests } from '../support/chat/page-tools.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { service } from '../support/browser/service-under-test.ts';

/*
 * Several pages of one site, each in a frame. Like tabs, they share only storage, channels and locks.
 */

describe('one conversation in two pages', () => {
  const pages: OtherPage[] = [];
  const open = async (prepare?: (page: Window) => void): Promise<OtherPage> => {
    const page = await openPage((window) => {
      // Room for the page beside the panel, as on a desktop.
      window.frameElement?.setAttribute('width', '600');
      prepare?.(window);
    });
    pages.push(page);
    return page;
  };
  const show = async (page: OtherPage): Promise<Chat> => {
    page.chat.element.show();
    await page.chat.ready();
    await page.chat.answered(1);
    return page.chat;
  };
  afterEach(async () => {
    for (const page of pages.splice(0)) page.close();
    await unmountAll();
  });

  const isAnswered = (requests: HTMLElement[]): boolean =>
    requests.every(({ dataset }) => /done|denied|failed/.test(dataset['state'] ?? ''));
  const isSame = (one: Chat, other: Chat): boolean =>
    JSON.stringify(one.messages) === JSON.stringify(other.messages);
  const withoutChannel = (page: Window): void => {
    Reflect.deleteProperty(page, 'BroadcastChannel');
  };
  for (const [title, prepare] of [
    ['by a channel', undefined],
    ['by storage alone', withoutChannel],
  ] as const) {
    it(`shows the same messages and the same draft, ${title}`, async () => {
      const first = await show(await open(prepare));
      const second = await show(await open(prepare));
      await first.ask('What are your opening hours?');
      await first.answered(2);
      await second.answered(2);
      await until(
        () => isSame(first, second),
        `the same as in ${JSON.stringify([first.messages, second.messages])}`,
      );
      second.write('And on Sun');
      await until(() => first.input.value === 'And on Sun', 'the draft');
      first.write('And on Sunday?');
      await until(() => second.input.value === 'And on Sunday?', 'the draft in the second page');
      await second.ask('And on Sunday?');
      await first.answered(3);
      expect(first.input.value).to.equal('');
      await until(() => isSame(first, second), 'the same messages');
    });
  }

  it('is resumed by a page where the pointer was near the launcher before', async () => {
    const waiting = await open();
    waiting.chat.launcher.focus();
    waiting.chat.launcher.dispatchEvent(new PointerEvent('pointerenter'));
    const first = await show(await open());
    await first.ask('What are your opening hours?');
    await first.answered(2);
    const second = await show(waiting);
    await until(() => isSame(first, second), 'the same messages');
    expect(second.messages).to.have.length(3);
  });

  it('is rated in both, until it is forgotten', async () => {
    const first = await show(await open());
    const second = await show(await open());
    const thumb = async ({ chat }: OtherPage): Promise<HTMLElement> => {
      await until(() => {
        // Repeated, since the module with the thumbs may still be loading.
        chat.input.focus();
        chat.find('[part~="message-assistant"]')?.focus();
        return chat.find('[part="rate-button"]') !== null;
      }, 'the thumbs');
      return chat.part('rate-button');
    };
    const [one, other] = [await thumb(pages[0] as OtherPage), await thumb(pages[1] as OtherPage)];
    one.click();
    await until(() => other.ariaPressed === 'true', 'the rating');
    other.click();
    await until(() => one.ariaPressed === 'false', 'no rating');
    one.click();
    await until(() => other.ariaPressed === 'true', 'the rating again');
    first.element.forget();
    await until(() => !second.isOpen, 'the chat to be closed in the other page');
    await show(pages[1] as OtherPage);
    expect((await thumb(pages[1] as OtherPage)).ariaPressed).to.equal('false');
  });

  it('opens and closes in both', async () => {
    const first = await show(await open());
    const second = await show(await open());
    first.element.hide();
    await until(() => !second.isOpen, 'the other to close');
    second.element.show();
    await until(() => first.isOpen, 'the other to open');
  });

  it('does not open in the other where it would cover the page', async () => {
    const narrow = (page: Window): void => page.frameElement?.setAttribute('width', '300');
    const first = await show(await open(narrow));
    const second = await show(await open(narrow));
    first.element.hide();
    await until(() => !second.isOpen, 'the other to close');
    second.element.show();
    await second.ready();
    await second.ask('What are your opening hours?');
    await second.answered(2);
    expect(first.element.open).to.be.false;
  });

  it('stays open in one if the chat of the other is inline', async () => {
    const first = await show(await open());
    const second = await open();
    second.chat.element.inline = true;
    await second.chat.ready();
    await second.chat.answered(1);
    await second.chat.ask('What are your opening hours?');
    await first.answered(2);
    expect(first.isOpen).to.be.true;
  });

  it('counts unread messages in both, until they are read in one', async () => {
    const first = await show(await open());
    const second = await show(await open());
    first.element.hide();
    await until(() => !second.isOpen, 'the other to close');
    first.element.send('What are your opening hours?');
    const isUnread = ({ launcher }: Chat): boolean =>
      launcher.ariaLabel?.includes('1 unread message') ?? false;
    await until(() => isUnread(first) && isUnread(second), 'the count');
    second.element.show();
    await until(() => !isUnread(first) && !isUnread(second), 'the count to disappear');
  });

  it('is as the next page left it if the visitor goes back to a page that the browser has kept', async () => {
    let isKept = false;
    const kept = await open((page) => {
      withoutChannel(page);
      page.addEventListener('storage', (event) => {
        if (isKept) event.stopImmediatePropagation();
      });
    });
    const chat = await show(kept);
    const goBack = (): void => {
      kept.window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    };
    const next = await show(await open());
    isKept = true;
    await next.ask('What are your opening hours?');
    await next.answered(2);
    goBack();
    await until(() => isSame(chat, next), 'the messages of the next page');
    const key = conversationKey();
    next.element.forget();
    await until(() => localStorage.getItem(key) === null, 'the storage to be empty');
    goBack();
    await until(() => !chat.isOpen, 'the chat to be closed');
    await show(kept);
    expect(chat.messages.join()).not.to.contain('opening hours?');
  });

  it('is forgotten in both', async () => {
    const first = await show(await open());
    const second = await show(await open());
    await first.ask('What are your opening hours?');
    await second.answered(2);
    second.write('And');
    const key = conversationKey();
    first.element.forget();
    await until(
      () => localStorage.getItem(key) === null && !second.isOpen,
      'the chat to be closed in the other page',
    );
    await show(pages[1] as OtherPage);
    expect(second.input.value).to.equal('');
    expect(second.messages.join()).not.to.contain('opening hours?');
  });

  for (const [title, prepare] of [
    ['by a channel', undefined],
    ['by storage alone', withoutChannel],
  ] as const)
    it(`asks for the form again in both after \`forget()\` in one, ${title}`, async () => {
      const withForm = async (): Promise<OtherPage> => {
        const page = await open(prepare);
        page.chat.element.form = [{ name: 'email', label: 'E-mail', type: 'email', required: true }];
        return page;
      };
      const [answering, other] = [await withForm(), await withForm()];
      const { chat } = answering;
      const showForm = (): Promise<void> => {
        chat.element.show();
        return until(() => !!chat.find('[part="form"]')?.checkVisibility(), 'the form');
      };
      await showForm();
      const email = (): HTMLInputElement => chat.find('[part="form"] [name="email"]') as HTMLInputElement;
      email().value = 'ada@site.example';
      email().dispatchEvent(new InputEvent('input', { bubbles: true }));
      chat.part('start-button').click();
      await chat.ready();
      await chat.answered(1);
      await chat.ask('I am Ada');
      await chat.answered(2);
      await show(other);
      other.chat.element.forget();
      await until(() => chat.messages.length === 0, 'no messages in the closed panel of the other page');
      expect(chat.isOpen).to.be.false;
      await showForm();
      expect(email().value).to.equal('');
    });

  it('cannot be brought back by an undo after `forget()` in the other page, and is deleted', async () => {
    const deleted: string[] = [];
    const first = await show(
      await open((page) => {
        const send = page.fetch.bind(page);
        page.fetch = async (input, init) => {
          const response = await send(input, init);
          if (init?.method === 'DELETE') deleted.push(input as string);
          return response;
        };
      }),
    );
    await first.ask('I am Ada');
    await first.answered(2);
    const { conversationId } = first;
    first.part('restart-button').click();
    await until(() => first.find('[part="undo-button"]') !== null, 'the undo button');
    await first.answered(1);
    const second = await show(await open());
    second.element.forget();
    await until(() => !first.isOpen, 'the chat to be closed in the other page');
    await show(pages[0] as OtherPage);
    expect(first.find('[part="undo-button"]')).to.equal(null);
    await until(() => deleted.some((url) => url.endsWith(conversationId)), 'the deletion');
    expect((await fetch(`${service.url}/api/conversations/${conversationId}`)).status).to.equal(404);
  });

  for (const [title, hasLocks] of [
    ['with locks', true],
    ['on a page without HTTPS', false],
  ] as const) {
    it(`answers a tool request once, even if the visitor decides in several pages, ${title}`, async () => {
      let runs = 0;
      const results: unknown[] = [];
      const withTools = async (): Promise<Chat> => {
        const page = await open((page) => {
          if (!hasLocks) Object.defineProperty(page.navigator, 'locks', { value: undefined });
          const send = page.fetch.bind(page);
          page.fetch = (input, init) => {
            if (/\/messages$/.test(input as string))
              results.push((JSON.parse(init?.body as string) as { tool_results?: unknown[] }).tool_results);
            return send(input, init);
          };
        });
        page.chat.element.tools = [showProduct(() => runs++)];
        return show(page);
      };
      const first = await withTools();
      await first.ask(productQuestion);
      await first.answered(2);
      const chats = [first, await withTools(), await withTools()];
      const requests = (): HTMLElement[] => chats.flatMap((chat) => toolRequests(chat));
      await until(() => requests().length === 3, 'the request in every page');
      const [allow, deny, secondAllow] = requests().map((request, at) =>
        buttonIn(request, at === 1 ? 'Don’t allow' : 'Allow'),
      );
      allow?.click();
      deny?.click();
      secondAllow?.click();
      await until(
        () => new Set(requests().map(({ dataset }) => dataset['state'])).size === 1 && isAnswered(requests()),
        'the same outcome in every page',
      );
      const outcome = requests()[0]?.dataset['state'];
      expect(runs).to.equal(outcome === 'done' ? 1 : 0);
      await first.ask('Thank you');
      await first.answered(3);
      expect((results.at(-1) as unknown[]).length).to.equal(1);
    });
  }

  it('sends the messages of a page that was closed, once', async () => {
    const leaving = await open();
    const first = await show(leaving);
    const second = await show(await open());
    leaving.window.fetch = () => Promise.reject(new TypeError('No network'));
    await first.ask('What are your opening hours?');
    await until(() => first.problems.length > 0, 'the problem');
    expect(second.messages.length).to.equal(1);
    leaving.close();
    await second.answered(2);
    expect(second.messages.filter((text) => text.startsWith('user:'))).to.have.length(1);
  });
});

describe('two chats of one assistant on one page', () => {
  afterEach(unmountAll);

  for (const [title, attributes] of [
    ['floats too', { position: 'right-bottom' }],
    ['is inline', { inline: '' }],
  ] as const)
    it(`show the conversation that one of them has opened, also if the other ${title}`, async () => {
      const first = mount({ position: 'left-bottom' });
      const second = mount(attributes);
      await first.open();
      await first.answered(1);
      second.element.show();
      await second.ready();
      await second.answered(1);
      await second.ask('What are your opening hours?');
      await second.answered(2);
      await first.answered(2);
      await first.ask('And on Sunday?');
      await first.answered(3);
      await second.answered(3);
      expect(second.messages).to.have.length(5);
      expect(first.isOpen).to.be.true;
    });

  it('show one conversation if both open it at the same time', async () => {
    const first = mount({ position: 'left-bottom', open: '' });
    const second = mount({ inline: '' });
    await Promise.all([first.ready(), second.ready()]);
    await Promise.all([first.answered(1), second.answered(1)]);
    await second.ask('What are your opening hours?');
    await second.answered(2);
    await first.answered(2);
  });

  it('show one conversation, and open and close independently', async () => {
    const earlier = mount();
    await earlier.open();
    await earlier.answered(1);
    earlier.element.remove();
    // Both resume the stored conversation, and are synchronized from then on.
    const first = mount({ position: 'left-bottom' });
    await first.open();
    const second = mount({ position: 'right-bottom' });
    await second.open();
    await second.answered(1);
    first.element.hide();
    await second.ask('What are your opening hours?');
    await second.answered(2);
    expect(first.isOpen).to.be.false;
    first.element.show();
    await first.answered(2);
    expect(second.isOpen).to.be.true;
  });
});
