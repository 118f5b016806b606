import { until } from './chat-fixture.ts';

/** What the page would save as a file, instead of saving it. */
export async function fileFrom(
  act: () => Promise<void>,
): Promise<{ name: string; type: string; text: string }> {
  const links: HTMLAnchorElement[] = [];
  // A test cannot look into a browser's downloads: the click arrives, and the file is read instead of saved.
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
