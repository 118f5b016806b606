import { press } from './page.ts';

/** Copied content, as plain text and as HTML. */
export interface ClipboardContent {
  readonly text: string;
  /** The parsed HTML. */
  readonly document: Document;
}

/** Reads the clipboard by pasting into a field, which needs no permission. */
export async function readClipboard(): Promise<ClipboardContent> {
  const field = document.createElement('div');
  field.contentEditable = 'true';
  document.body.append(field);
  const paste = new Promise<ClipboardContent>((resolve) => {
    field.addEventListener('paste', (event) => {
      event.preventDefault();
      const get = (type: string): string => event.clipboardData?.getData(type) ?? '';
      const html = new DOMParser().parseFromString(get('text/html'), 'text/html');
      resolve({ text: get('text/plain').replaceAll('\r\n', '\n'), document: html });
    });
  });
  field.focus();
  await press('Control+v');
  try {
    return await paste;
  } finally {
    field.remove();
  }
}
