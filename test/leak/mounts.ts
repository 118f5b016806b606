import type {} from '../../src/widget/define.ts';

/**
 * Runs in the page: puts chats into it and takes them out again, one after another. Every fourth is opened and has
 * shown its greeting before it goes, and half of those were written in.
 */
export async function mountAndRemove({
  count,
  assistantId,
}: {
  count: number;
  assistantId: string;
}): Promise<void> {
  await customElements.whenDefined('voice-assistant-chat');
  const ignore = (): void => undefined;
  const shown = (chat: Element, selector: string): Promise<HTMLElement> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = chat.shadowRoot?.querySelector<HTMLElement>(selector);
        if (found) resolve(found);
        else requestAnimationFrame(look);
      };
      look();
    });
  // What is written to the console stays there, and would be taken for a leak.
  Object.assign(console, { log: ignore, table: ignore, groupCollapsed: ignore, groupEnd: ignore });
  for (let number = 0; number < count; number++) {
    const chat = document.createElement('voice-assistant-chat');
    chat.setAttribute('assistant-id', assistantId);
    chat.setAttribute('base-url', '/1');
    chat.setAttribute('teaser', 'May I help?');
    chat.setAttribute('teaser-delay', '0');
    chat.setAttribute('sound', '');
    chat.setAttribute('voice', '');
    chat.setAttribute('debug', '');
    chat.tools = [{ name: 'reload', description: 'Reloads the page.', run: () => undefined }];
    document.body.append(chat);
    if (number % 4 === 0) {
      chat.open = true;
      await shown(chat, '[part~=message-assistant]');
      if (number % 8 === 0) {
        chat.send('Write 3 pieces');
        await shown(chat, '[data-status=done] ~ [data-status=done]');
      }
    } else await shown(chat, '[part~=launcher]');
    chat.remove();
  }
  // The browser's own list of what was loaded grows with every request.
  performance.clearResourceTimings();
  // Removal is noticed in a microtask, and what is drawn in a frame.
  await new Promise((resolve) => requestAnimationFrame(resolve));
}
