import type { MessageCopy } from './message-copy.ts';

/** Whether there is a clipboard: only secure pages have one, whatever the types say. */
export function hasClipboard(): boolean {
  return 'clipboard' in navigator && !!(navigator.clipboard as Clipboard | undefined);
}

/**
 * Puts a text on the clipboard, with its looks where the browser can. Call it in the click itself, with what is still
 * to come if need be: some browsers forbid it later.
 *
 * @throws {DOMException} when the browser or the page forbids it
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
      // Some browsers take a text alone.
    }
  }
  await clipboard.writeText((await copy).text);
}
