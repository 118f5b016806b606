import { until } from './chat-fixture.ts';

/** Returns the file that the page offers for download during `act`. */
export async function downloadedFile(
  act: () => Promise<void>,
): Promise<{ name: string; type: string; text: string }> {
  const links: HTMLAnchorElement[] = [];
  // A test cannot read a browser's downloads, so the click is intercepted and the file is read.
  const onClick = (event: Event): void => {
    event.preventDefault();
    links.push(event.target as HTMLAnchorElement);
  };
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string) => {
      const element = document.createElementNS('http://www.w3.org/1999/xhtml', name);
      if (name === 'a') element.addEventListener('click', onClick);
      return element;
    },
  });
  try {
    await act();
    await until(() => links.length > 0, 'the download');
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
  const { href, download } = links[0] as HTMLAnchorElement;
  const response = await fetch(href);
  return { name: download, type: response.headers.get('content-type') ?? '', text: await response.text() };
}
