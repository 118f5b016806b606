import { press } from './page.ts';

/** What was copied, as documents and as plain text fields get it. */
export interface Pasted {
  readonly text: string;
  /** The elements of the HTML, without what browsers put around it. */
  readonly document: Document;
}

/** Pastes as a person does, for which no permission is needed, into a field of its own. */
export async function pasted(): Promise<Pasted> {
  const field = document.createElement('div');
  field.contentEditable = 'true';
  document.body.append(field);
  const paste = new Promise<Pasted>((resolve) => {
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
