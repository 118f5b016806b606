import { waitUntil } from '@open-wc/testing';
import type { VoiceAssistantChat } from '../../../src/widget/voice-assistant-chat.ts';
import { click } from '../browser/page.ts';
import { service } from '../browser/service-under-test.ts';

// The built file, since tests of the sources can pass while the bundle is broken.
const bundle = '/dist/voice-assistant-chat.js';
export const { VoiceAssistantChat: ChatElement } = (await import(bundle)) as {
  VoiceAssistantChat: typeof VoiceAssistantChat;
};

/** A widget in the page. Tests find its elements by the documented part names. */
export class Chat {
  readonly element: VoiceAssistantChat;

  constructor(element: VoiceAssistantChat) {
    this.element = element;
  }

  find(selector: string): HTMLElement | null {
    return this.element.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }

  findAll(selector: string): HTMLElement[] {
    return [...(this.element.shadowRoot?.querySelectorAll<HTMLElement>(selector) ?? [])];
  }

  /** The element with a part name; throws if there is none. */
  part(name: string): HTMLElement {
    const found = this.find(`[part~="${name}"]`);
    if (found === null) throw new Error(`There is no part "${name}".`);
    return found;
  }

  get launcher(): HTMLButtonElement {
    return this.part('launcher') as HTMLButtonElement;
  }

  get input(): HTMLTextAreaElement {
    return this.part('composer-input') as HTMLTextAreaElement;
  }

  /** The text of every message, prefixed with its role, as in `user: Hello`. */
  get messages(): string[] {
    return this.findAll('[part~="message"]').map((message) => {
      const role = /message-(\w+)/.exec(message.getAttribute('part') ?? '')?.[1] ?? '';
      // Messages outside the viewport are not rendered, and have no `innerText`.
      const { innerText, textContent } = message.lastElementChild as HTMLElement;
      return `${role}: ${(innerText || textContent).trim()}`;
    });
  }

  get isOpen(): boolean {
    return this.find('[part~="panel"]')?.checkVisibility({ visibilityProperty: true }) ?? false;
  }

  /**
   * The ID of the conversation.
   *
   * @throws {Error} if none is stored
   */
  get conversationId(): string {
    const stored = localStorage.getItem(conversationKey()) ?? '';
    return (JSON.parse(stored) as { conversationId: string }).conversationId;
  }

  get announcement(): string {
    return this.find('.root > [role="status"]')?.textContent ?? '';
  }

  /** The texts of the visible problems. */
  get problems(): string[] {
    return this.findAll('[part="problem"]').map((problem) => problem.innerText.replace(/\s+/g, ' ').trim());
  }

  /** Waits until the chat can be written in. */
  async ready(): Promise<void> {
    await until(() => this.isOpen && this.find('textarea') !== null, 'the panel to show');
    await until(() => !this.find('[part="message-log"] > .state'), 'the conversation to open');
  }

  /** Opens the chat with a click. */
  async open(): Promise<void> {
    await this.pressLauncher();
    await this.ready();
  }

  /** Opens the panel with a click. */
  async pressLauncher(): Promise<void> {
    await until(() => this.element.shadowRoot !== null, 'the launcher');
    let hasOpened = this.element.open;
    const onOpen = (): void => {
      hasOpened = true;
    };
    this.element.addEventListener('chat-open', onOpen);
    if (!hasOpened) await click(this.launcher);
    this.element.removeEventListener('chat-open', onOpen);
    // It was open on the page before, and opened by itself right before the click.
    if (hasOpened) this.element.show();
  }

  /** Sends a message without slow key-by-key typing, which the composer's tests cover. */
  async ask(text: string): Promise<void> {
    this.input.focus();
    this.write(text);
    this.input.form?.requestSubmit();
    await until(() => this.input.value !== text, 'the message to leave the composer');
  }

  /** Puts a text into the composer, as an input method does. */
  write(text: string): void {
    this.input.value = text;
    this.input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }

  /** Waits until `count` answers are complete. */
  async answered(count: number): Promise<void> {
    const done = (): number => this.findAll('li.assistant[data-status="done"]').length;
    await until(
      () => done() >= count,
      () => `${count} answers; there are: ${JSON.stringify(this.messages)}`,
    );
  }

  async problem(pattern: RegExp): Promise<void> {
    await until(
      () => this.problems.some((text) => pattern.test(text)),
      () => `the problem ${String(pattern)}; there are: ${JSON.stringify(this.problems)}`,
    );
  }
}

const mounted = new Set<Chat>();

/** Puts a widget into the page. Without a `base-url` it talks to the service under test. */
export function mount(attributes: Readonly<Record<string, string>> = {}, parent: Node = document.body): Chat {
  const element = new ChatElement();
  const all = {
    'base-url': service.url,
    'assistant-id': service.assistantThatShows('greeting'),
    ...attributes,
  };
  for (const [name, value] of Object.entries(all)) element.setAttribute(name, value);
  parent.appendChild(element);
  const chat = new Chat(element);
  mounted.add(chat);
  return chat;
}

/** Removes every widget and clears storage. Call it in `afterEach`. */
export async function unmountAll(): Promise<void> {
  for (const { element } of mounted) {
    element.remove();
    // An answer in progress would be stored after storage was cleared.
    if (element.shadowRoot?.querySelector('#panel')) element.forget();
  }
  await new Promise((resolve) => {
    requestAnimationFrame(resolve);
  });
  mounted.clear();
  localStorage.clear();
  sessionStorage.clear();
}

/**
 * The storage key of the conversation with a service, found by its content.
 *
 * @throws {Error} if no conversation is stored
 */
export function conversationKey(baseUrl = service.url): string {
  const key = Object.keys(localStorage).find(
    (name) =>
      // A request to a faulty service that was in flight at the end of an earlier test may still store its conversation.
      name.includes(`:${baseUrl}:`) &&
      /"conversationId":"[\da-f-]{36}"/.test(localStorage.getItem(name) ?? ''),
  );
  if (key === undefined) throw new Error(`No conversation is stored in ${Object.keys(localStorage).join()}.`);
  return key;
}

/**
 * Waits for a condition; for long, since three browsers and another suite share the machine.
 *
 * @param description the awaited state, for the error; a function to describe the state at the end, too
 */
export async function until(condition: () => boolean, description: string | (() => string)): Promise<void> {
  const timedOut = 'Timed out';
  const limits = { timeout: 40_000, interval: 15 };
  await waitUntil(condition, timedOut, limits).catch((error: unknown) => {
    if (error instanceof Error && error.message.endsWith(timedOut))
      error.message += ` waiting for ${typeof description === 'string' ? description : description()}.`;
    throw error;
  });
}

/** Resolves with the detail of the next event named `name`. */
export function nextEvent<Detail>(target: EventTarget, name: string): Promise<Detail> {
  return new Promise((resolve) => {
    target.addEventListener(
      name,
      (event) => {
        resolve((event as CustomEvent<Detail>).detail);
      },
      { once: true },
    );
  });
}

/** The `base-url` of a faulty service (see `demo/faults`). */
export function faulty(kind: string): string {
  return `${service.url}/faults/${kind}`;
}
