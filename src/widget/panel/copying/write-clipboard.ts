import type { MessageCopy } from './message-copy.ts';

/** Whether there is a clipboard: only secure contexts have one, despite the types. */
export function hasClipboard(): boolean {
  return !!(navigator.clipboard as Clipboard | undefined);
}

/**
 * Writes a message to the clipboard, with its formatting if the browser supports it. Call it synchronously in the click
 * handler, with a promise if the message is not ready: some browsers forbid it later.
 *
 * @throws {DOMException} if the browser or the page forbids it
 */
export async function writeClipboard(copy: MessageCopy | Promise<MessageCopy>): Promise<void> {
  const { clipboard } = navigator;
  const Item = (globalThis as { ClipboardItem?: typeof ClipboardItem }).ClipboardItem;
  const blob = (name: keyof MessageCopy, type: string): Blob | Promise<Blob> =>
    'then' in copy
      ? copy.then((ready) => new Blob([ready[name]], { type }))
      : new Blob([copy[name]], { type });
  if (Item !== undefined && 'write' in clipboard) {
    const item = { 'text/plain': blob('text', 'text/plain'), 'text/html': blob('html', 'text/html') };
    try {
      await clipboard.write([new Item(item)]);
      return;
    } catch {
      // Some browsers accept plain text only.
    }
  }
  await clipboard.writeText((await copy).text);
}
