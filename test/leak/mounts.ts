import type {} from '../../src/widget/define.ts';

/**
 * Runs in the page: adds and removes chats, one after another. Every fourth one is opened and shows its greeting; every
 * eighth one also sends a message.
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
  // The console keeps references to logged objects, which would count as leaks.
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
        chat.send('Write 3 chunks');
        await shown(chat, '[data-status=done] ~ [data-status=done]');
      }
    } else await shown(chat, '[part~=launcher]');
    chat.remove();
  }
  // The browser's list of resource timings grows with every request.
  performance.clearResourceTimings();
  // Removal takes effect in a microtask, and rendering in a frame.
  await new Promise((resolve) => requestAnimationFrame(resolve));
}
