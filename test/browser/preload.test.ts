import { expect } from '@open-wc/testing';
import { mount, unmountAll, until } from '../support/chat/chat-fixture.ts';
import { openPage, type OtherPage } from '../support/chat/other-page.ts';
import { uncachedWidget } from '../support/browser/fail-script.ts';

/** Moves the pointer to a point this many pixels left of the launcher. */
function movePointer(
  launcher: HTMLElement,
  distance: number,
  type = 'pointermove',
  view: Window = window,
): void {
  const { left, top } = launcher.getBoundingClientRect();
  view.dispatchEvent(new PointerEvent(type, { clientX: left - distance, clientY: top + 1 }));
}

describe('the panel is made ready before the press', () => {
  afterEach(unmountAll);

  it('when a finger touches the launcher', async () => {
    const chat = mount();
    await until(() => chat.launcher.offsetWidth > 0, 'the launcher');
    movePointer(chat.launcher, -1, 'pointerdown');
    await until(() => chat.find('[part~="panel"]')?.hasAttribute('data-prepared') === true, 'the panel');
    expect(chat.isOpen).to.equal(false);
  });

  it('when the launcher receives the focus', async () => {
    const chat = mount();
    await until(() => chat.launcher.offsetWidth > 0, 'the launcher');
    chat.launcher.focus();
    await until(() => chat.find('[part~="panel"]')?.hasAttribute('data-prepared') === true, 'the panel');
    expect(chat.isOpen).to.equal(false);
  });
});

describe('a listener of chat-open', () => {
  afterEach(unmountAll);

  it('can still set the context that the conversation opens with, also if the panel is ready', async () => {
    const chat = mount();
    await until(() => chat.launcher.offsetWidth > 0, 'the launcher');
    chat.launcher.focus();
    await until(() => chat.find('[part~="panel"]')?.hasAttribute('data-prepared') === true, 'the panel');
    chat.element.addEventListener('chat-open', () => {
      chat.element.context = { cart: '3 items' };
    });
    const original = window.fetch.bind(window);
    const bodies: string[] = [];
    window.fetch = (input, init) => {
      if (typeof init?.body === 'string') bodies.push(init.body);
      return original(input, init);
    };
    try {
      await chat.open();
      await chat.answered(1);
      expect(bodies[0]).to.include('3 items');
    } finally {
      window.fetch = original;
    }
  });
});

/* Each page is a separate frame, since a browser keeps the modules that a page has loaded. */
describe('the panel’s file', () => {
  let page: OtherPage;
  let runIdleTasks: () => void;

  afterEach(async () => {
    page.close();
    await unmountAll();
  });

  /** Opens a page with this connection. It becomes idle only when `runIdleTasks` is called. */
  async function openOn(connection: object | undefined): Promise<void> {
    let tasks: (() => void)[] | undefined = [];
    page = await openPage((view) => {
      Object.defineProperty(view.navigator, 'connection', { value: connection });
      view.requestIdleCallback = (task) => {
        const run = () => {
          task({ didTimeout: false, timeRemaining: () => 50 });
        };
        if (tasks) tasks.push(run);
        else setTimeout(run);
        return 1;
      };
    }, uncachedWidget());
    await until(() => !!tasks?.length, 'the chat to wait until the page is idle');
    runIdleTasks = () => {
      const waiting = tasks ?? [];
      tasks = undefined;
      for (const run of waiting) run();
    };
  }

  const requestedFile = (): PerformanceEntry | undefined =>
    page.window.performance.getEntriesByType('resource').find(({ name }) => /\/panel-\w+\.js/.test(name));

  /** When the panel's file was requested, in milliseconds since the page was loaded. */
  const requestedAt = (): number | undefined => requestedFile()?.startTime;

  const nextFrame = () => new Promise((resolve) => page.window.requestAnimationFrame(resolve));

  it('is loaded when a pointer comes within 100 pixels of the launcher, and the panel is made ready', async () => {
    await openOn(undefined);
    const { chat } = page;
    await until(() => chat.launcher.offsetWidth > 0, 'the launcher');
    movePointer(chat.launcher, 101, 'pointermove', page.window);
    await nextFrame();
    await nextFrame();
    const nearAt = page.window.performance.now();
    movePointer(chat.launcher, 99, 'pointermove', page.window);
    await until(() => chat.find('[part~="panel"]')?.hasAttribute('data-prepared') === true, 'the panel');
    expect(chat.isOpen).to.equal(false);
    expect(requestedAt()).to.be.at.least(Math.floor(nearAt));
  });

  /** Waits until the module of a file has run in the page. */
  function hasRun(file: string): Promise<unknown> {
    const tag = page.window.document.createElement('script');
    tag.type = 'module';
    tag.src = file;
    page.window.document.body.append(tag);
    return new Promise((resolve) => {
      tag.addEventListener('load', resolve);
    });
  }

  it('is loaded when the page is idle on a fast connection, and nothing is shown', async () => {
    await openOn({ effectiveType: '4g', saveData: false });
    expect(requestedAt()).to.equal(undefined);
    runIdleTasks();
    await until(() => requestedAt() !== undefined, 'the request');
    await hasRun(requestedFile()?.name ?? '');
    await nextFrame();
    await nextFrame();
    expect(page.chat.find('[part~="panel"]')).to.equal(null);
  });

  for (const [when, connection, preload] of [
    ['on a slow connection', { effectiveType: '3g', saveData: false }, ''],
    ['on a connection that saves data', { effectiveType: '4g', saveData: true }, ''],
    ['if the browser does not know the connection', undefined, ''],
    ['with preload="none"', { effectiveType: '4g', saveData: false }, 'none'],
  ] as const)
    it(`is loaded only with the chat ${when}`, async () => {
      await openOn(connection);
      if (preload) page.chat.element.preload = preload;
      runIdleTasks();
      await nextFrame();
      const pressedAt = page.window.performance.now();
      page.chat.element.show();
      await page.chat.ready();
      expect(requestedAt()).to.be.at.least(Math.floor(pressedAt));
    });
});
