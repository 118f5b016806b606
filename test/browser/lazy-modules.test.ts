import { expect } from '@open-wc/testing';
import { cannedService, serveHistory, serveNoHistory } from '../support/chat/canned-history.ts';
import { unmountAll, until, type Chat } from '../support/chat/chat-fixture.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { scriptAnswer } from '../support/browser/script-answer.ts';
import { modelService, service } from '../support/browser/service-under-test.ts';
import { failScript, holdScript, uncachedWidget } from '../support/browser/fail-script.ts';

/* Each page is a separate frame, since a browser keeps the modules that a page has loaded. */

describe('a module that failed to load', () => {
  let page: OtherPage | undefined;

  afterEach(async () => {
    failScript();
    holdScript();
    page?.close();
    await unmountAll();
  });

  /** Opens a chat in German, whose texts fail to load, so that it is in English. */
  async function openWithoutGerman(): Promise<Chat> {
    failScript('de');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    chat.element.lang = 'de';
    chat.element.show();
    await chat.ready();
    expect(chat.part('close-button').title).to.equal('Close chat');
    return chat;
  }

  it('is loaded when the visitor presses the launcher again', async () => {
    failScript('panel');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    chat.element.show();
    await until(() => chat.find('[role="alert"]') !== null, 'the notice');
    failScript();
    await until(() => {
      // Repeated: a press that joins an earlier request fails with it.
      chat.element.show();
      return chat.isOpen;
    }, 'the chat');
    await chat.ready();
    await chat.ask('Do you have gift cards?');
    await chat.answered(2);
  });

  it('sends what the page has sent meanwhile as soon as it is loaded', async () => {
    failScript('panel');
    let refused = 0;
    page = await openPage((view) => {
      const fetch = view.fetch.bind(view);
      view.fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (/panel/.test(input as string) && !response.ok) refused++;
        return response;
      };
    }, uncachedWidget());
    const { chat } = page;
    chat.element.send('Do you have gift cards?');
    await until(() => refused > 0, 'the refused file');
    failScript();
    await until(() => {
      // Repeated: if the panel is being requested, this joins that request and fails with it.
      chat.launcher.blur();
      chat.launcher.focus();
      return chat.messages.includes('user: Do you have gift cards?');
    }, 'the message');
  });

  it('announces the greeting as soon as it is loaded', async () => {
    failScript('messaging');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    chat.element.show();
    await chat.ready();
    await chat.ask('Do you have gift cards?');
    await until(() => chat.find('[part="problem"]') !== null, 'the problem');
    expect(chat.announcement).to.equal('');
    failScript();
    const announced: string[] = [];
    new MutationObserver(() => announced.push(chat.announcement)).observe(
      chat.find('.root > [role="status"]') as HTMLElement,
      { childList: true },
    );
    await until(() => {
      // Repeated: the module is not requested again for a few seconds.
      chat.find('[part="retry-button"]')?.click();
      return announced.length > 0;
    }, 'the announcement');
    // The answer may have arrived meanwhile.
    expect(`assistant: ${announced[0]}`.startsWith(chat.messages[0] as string), announced[0]).to.equal(true);
  });

  it('is requested again with the next messages, also that of the preview', async () => {
    failScript('builder');
    page = await openPage(undefined, uncachedWidget());
    const { chat } = page;
    let failed = 0;
    page.window.addEventListener('unhandledrejection', () => failed++);
    chat.element.type = 'test';
    chat.element.show();
    await chat.ready();
    const isRequested = (): boolean =>
      page?.window.performance.getEntriesByType('resource').some(({ name }) => name.includes('builder')) ===
      true;
    await until(isRequested, 'the refused request');
    expect(chat.find('[part="test-mark"]')).to.equal(null);
    failScript();
    let count = 0;
    await until(() => {
      // Repeated: the module is not requested again for a few seconds.
      if (
        chat.findAll('li.user').length === count &&
        chat.find('li.assistant[data-status="streaming"]') === null
      ) {
        count++;
        chat.element.send('Hello');
      }
      return chat.find('[part="test-mark"]') !== null;
    }, 'the mark of the preview');
    expect(failed).to.equal(0);
  });

  it('is loaded without a press if the chat is inline, which shows the problem meanwhile', async () => {
    failScript('panel');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    const errors: unknown[] = [];
    chat.element.addEventListener('chat-error', ({ detail }) => errors.push(detail.code));
    chat.element.style.height = '400px';
    chat.element.inline = true;
    await until(() => chat.find('[role="alert"]') !== null, 'the notice');
    const notice = (chat.find('[role="alert"]') as Element).getBoundingClientRect();
    const box = chat.element.getBoundingClientRect();
    expect(notice.top).to.be.within(box.top, box.bottom);
    failScript();
    await until(() => chat.isOpen, 'the chat');
    await chat.ready();
    expect(chat.find('.root > [role="alert"]')).to.equal(null);
    expect(errors).to.deep.equal(['network']);
  });

  it('is loaded without a press if the page removes an inline chat meanwhile and puts it back', async () => {
    failScript('panel');
    // The pauses before further attempts end when the test says so.
    const pauses: (() => void)[] = [];
    const endPauses = (): void => {
      for (const end of pauses.splice(0)) end();
    };
    page = await openPage((window) => {
      const real = window.setTimeout.bind(window);
      const replaced = (callback: () => void, time?: number): unknown =>
        time === 5000 ? pauses.push(callback) : real(callback, time);
      window.setTimeout = replaced as typeof window.setTimeout;
    }, uncachedWidget());
    const { chat } = page;
    const parent = chat.element.parentElement as Element;
    chat.element.inline = true;
    await until(() => chat.find('[role="alert"]') !== null && pauses.length > 0, 'the pause');
    chat.element.remove();
    endPauses();
    failScript();
    parent.append(chat.element);
    await until(() => {
      // Repeated: an attempt that joins an earlier request fails with it.
      endPauses();
      return chat.isOpen;
    }, 'the chat');
    await chat.ready();
    expect(chat.find('.root > [role="alert"]')).to.equal(null);
  });

  it('is loaded when the visitor tries to send the message again', async () => {
    failScript('messaging');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    chat.element.show();
    await chat.ready();
    await chat.answered(1);
    await chat.ask('Do you have gift cards?');
    await until(() => chat.find('[part="retry-button"]') !== null, 'the button to try again');
    failScript();
    await until(() => {
      // Repeated: a press that joins an earlier request fails with it.
      chat.find('[part="retry-button"]')?.click();
      return chat.messages.at(-1)?.startsWith('assistant: ') ?? false;
    }, 'the answer');
    await chat.answered(2);
    expect(chat.problems).to.deep.equal([]);
  });

  it('does not keep the modules that import it from loading', async () => {
    failScript('messaging');
    const { chat } = (page = await openPage(undefined, uncachedWidget()));
    chat.element.setAttribute('base-url', modelService.url);
    chat.element.setAttribute('assistant-id', modelService.assistantThatShows('no-greeting'));
    chat.element.show();
    await chat.ready();
    const { question } = await scriptAnswer({ chunks: ['Yes, **all year**.'] });
    await chat.ask(question);
    await until(() => chat.find('[part="retry-button"]') !== null, 'the button to try again');
    failScript();
    await until(() => {
      chat.find('[part="retry-button"]')?.click();
      // Writing loads the Markdown module, which is not requested again for a few seconds.
      chat.write('And');
      return chat.find('.markdown strong') !== null;
    }, 'the answer as Markdown');
    await until(() => {
      chat.part('menu-button').click();
      return chat.find('[role="menu"]') !== null;
    }, 'the menu');
  });

  it('does not keep an open chat rendering', async () => {
    failScript('voice');
    let framesWithoutRequest = 0;
    const { chat, window } = (page = await openPage((view) => {
      const requestFrame = view.requestAnimationFrame.bind(view);
      view.requestAnimationFrame = (callback) => {
        framesWithoutRequest = 0;
        return requestFrame(callback);
      };
      const countFrame = (): void => {
        framesWithoutRequest++;
        requestFrame(countFrame);
      };
      countFrame();
    }, uncachedWidget()));
    chat.element.voice = 'dictation';
    chat.element.show();
    await chat.ready();
    await chat.answered(1);
    await until(() => hasRequested(window, 'voice'), 'the refused file');
    framesWithoutRequest = 0;
    await until(() => framesWithoutRequest > 30, 'the last render');
  });

  it('concerns calls only once the visitor calls, in a browser that offers dictation instead', async () => {
    failScript('voice');
    const { chat, window } = (page = await openPage((view) => {
      Reflect.deleteProperty(view, 'RTCPeerConnection');
      const fetch = view.fetch.bind(view);
      view.fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!(input as string).endsWith('/widget')) return response;
        const { data } = (await response.json()) as { data: object };
        return Response.json({ status: true, data: { ...data, web_calls: true } });
      };
    }, uncachedWidget()));
    chat.element.show();
    await chat.answered(1);
    await until(() => chat.find('[part~="call-button"]') !== null, 'the button');
    await until(() => hasRequested(window, 'voice'), 'the refused file');
    // Renders the header again.
    await chat.ask('Hello');
    await chat.answered(2);
    expect(chat.find('[part="call"]')).to.equal(null);
    chat.part('call-button').click();
    await until(() => chat.find('[part="call"][role="alert"]') !== null, 'the problem');
  });

  it('is loaded when the page changes its language again', async () => {
    const chat = await openWithoutGerman();
    failScript();
    for (const lang of ['en', 'de']) {
      chat.element.lang = lang;
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
    }
    await until(() => chat.part('close-button').title !== 'Close chat', 'the German texts');
  });

  it('does not delay a chat that is opened again after its language failed', async () => {
    const chat = await openWithoutGerman();
    failScript();
    holdScript('de');
    chat.element.hide();
    await until(() => !chat.isOpen, 'the closed chat');
    chat.element.show();
    await until(() => chat.isOpen, 'the chat in English');
    expect(chat.part('close-button').title).to.equal('Close chat');
  });

  it('is loaded when the visitor opens a chat again whose language failed', async () => {
    const chat = await openWithoutGerman();
    failScript();
    await until(() => {
      // Repeated: an attempt that joins an earlier request fails with it.
      chat.element.toggle();
      return chat.find('.root')?.lang === 'de';
    }, 'the German texts');
  });
});

const hasRequested = (page: Window, module: string): boolean =>
  page.performance.getEntriesByType('resource').some(({ name }) => name.includes(`/chunks/${module}-`));

describe('a script snippet', () => {
  /** Replaces the chat of a page with that of a snippet. Returns the paths that the page requests from now on. */
  function insertSnippet(
    { window: view }: OtherPage,
    query = '',
    data: Record<string, string> = {},
  ): string[] {
    const requested: string[] = [];
    const fetch = view.fetch.bind(view);
    view.fetch = (input, init) => {
      requested.push(input as string);
      return fetch(input, init);
    };
    view.document.querySelector('voice-assistant-chat')?.remove();
    const script = view.document.createElement('script');
    script.src = `${uncachedWidget().replace(/[^/]+$/, 'embed.js')}${query}`;
    Object.assign(script.dataset, {
      assistantId: service.assistantThatShows('greeting'),
      baseUrl: service.url,
      ...data,
    });
    view.document.head.append(script);
    return requested;
  }

  it('with a parameter inserts the chat at a later attempt if its second file failed to load', async () => {
    failScript('embedding');
    const rejections: unknown[] = [];
    let responses = 0;
    const page = await openPage((view) => {
      const fetch = view.fetch.bind(view);
      view.fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (/embedding/.test(input as string)) responses++;
        return response;
      };
      view.addEventListener('unhandledrejection', ({ reason }) => rejections.push(reason));
    });
    const { document } = page.window;
    try {
      insertSnippet(page, '?ver=1');
      await until(() => responses === 1, 'the refused file');
      failScript();
      await until(() => document.querySelector('voice-assistant-chat') !== null, 'the chat');
      expect(rejections).to.deep.equal([]);
    } finally {
      failScript();
      page.close();
    }
  });

  it('ignores attributes that the element does not have, and requests nothing for them', async () => {
    const page = await openPage();
    try {
      const requested = insertSnippet(page, '', {
        // WordPress and Next.js add these.
        wpStrategy: 'async',
        nscript: 'afterInteractive',
        id: 'other',
        title: 'Other',
        hidden: '',
        show: '1',
        context: 'page',
        heading: 'Kim',
        lang: 'de',
        sound: '',
      });
      const find = () => page.window.document.querySelector('voice-assistant-chat');
      await until(() => find() !== null, 'the chat');
      const found = find() as unknown as Record<string, unknown>;
      const { id, title, hidden, context, heading, lang, sound } = found;
      expect({ id, title, hidden, context, heading, lang, sound }).to.deep.equal({
        id: '',
        title: '',
        hidden: false,
        context: undefined,
        heading: 'Kim',
        lang: 'de',
        sound: true,
      });
      expect(typeof found['show']).to.equal('function');
      expect(requested.filter((url) => url.includes('embedding'))).to.deep.equal([]);
    } finally {
      page.close();
    }
  });

  it('with the attributes of another vendor labels the launcher', async () => {
    const page = await openPage();
    try {
      insertSnippet(page, '', { buttonMainText: 'Ask Kim' });
      const find = () => page.window.document.querySelector('voice-assistant-chat');
      await until(() => find()?.launcherLabel === 'Ask Kim', 'the label');
    } finally {
      page.close();
    }
  });
});

describe('a module whose request is not answered', () => {
  let page: OtherPage | undefined;

  afterEach(async () => {
    holdScript();
    serveNoHistory();
    page?.close();
    await unmountAll();
  });

  it('does not block a part of the history', async () => {
    const count = 120;
    serveHistory(
      Array.from({ length: count }, (_, index) => ({ role: 'assistant', content: `**${String(index)}**` })),
    );
    holdScript('messaging');
    page = await openPage((window) => {
      window.fetch = globalThis.fetch;
    }, uncachedWidget());
    const { chat } = page;
    chat.element.setAttribute('base-url', cannedService);
    chat.element.show();
    await chat.ready();
    await until(() => chat.findAll('article').length === count, 'all messages');
  });

  it('does not delay a message for long, and not its stop', async () => {
    holdScript('extras');
    page = await openPage(undefined, uncachedWidget());
    const { chat } = page;
    chat.element.tools = [{ name: 'open_cart', description: 'Opens the cart.', run: () => 'done' }];
    chat.element.show();
    await chat.ready();
    await chat.answered(1);
    const question = 'Do you have gift cards?';
    await chat.ask(question);
    await until(() => chat.part('send-button').title === 'Stop', 'the stop button');
    chat.part('send-button').click();
    await until(() => chat.input.value === question, 'the text of the stopped message');
    await chat.ask(question);
    await chat.answered(2);
  });

  it('leaves the chat in English while it has the texts of another language', async () => {
    holdScript('de');
    page = await openPage(undefined, uncachedWidget());
    const { chat } = page;
    chat.element.lang = 'de';
    chat.element.show();
    await chat.ready();
    expect(chat.part('close-button').title).to.equal('Close chat');
    expect(chat.find('.root')?.lang).to.equal('en');
  });
});
