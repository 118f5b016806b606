import type { MessageCopy } from './message-copy.ts';

/** Whether there is a clipboard: only secure contexts have one, despite the types. */
export function hasClipboard(): boolean {
  return !!(navigator.clipboard as Clipboard | undefined);
}

/**
 * Writes a message to the clipboard, with its formatting if the browser supports it. Call it synchronously in the click
 * handler, with a promise: some browsers forbid it later.
 *
 * @throws {DOMException} if the browser or the page forbids it
 */
export async function writeClipboard(copy: Promise<MessageCopy>): Promise<void> {
  const { clipboard } = navigator;
  const blob = async (name: keyof MessageCopy, type: string): Promise<Blob> =>
    new Blob([(await copy)[name]], { type });
  try {
    const item = { 'text/plain': blob('text', 'text/plain'), 'text/html': blob('html', 'text/html') };
    await clipboard.write([new ClipboardItem(item)]);
  } catch {
    // Some browsers accept plain text only.
    await clipboard.writeText((await copy).text);
  }
}
