import { html, nothing, render } from 'lit/html.js';
import { authorOf, isMarkdown } from '../message-log.ts';
import type { PanelContext } from '../panel-context.ts';
import printCss from './print.css?inline';
import { messagesOf, shownText, timeOf, type Transcript } from './transcript.ts';

/** Milliseconds to wait for images. The text of those that have not loaded is printed. */
const imageTimeout = 2000;

/**
 * Prints the whole conversation and nothing else of the page. An iframe without a URL inherits the page's CSP, so it
 * uses nothing that a policy can block: a `CSSStyleSheet`, and text from templates.
 */
export async function printTranscript(
  { host, container, markdown }: PanelContext,
  transcript: Transcript,
): Promise<void> {
  const { heading, locale, leftOut } = transcript;
  const frame = document.createElement('iframe');
  frame.className = 'print-frame';
  frame.ariaHidden = 'true';
  frame.tabIndex = -1;
  // Inside the panel, so that it is removed with the element in any case.
  container.querySelector('.print-frame')?.remove();
  container.prepend(frame);
  const page = frame.contentDocument;
  const view = frame.contentWindow as (Window & typeof globalThis) | null;
  if (page === null || view === null) return;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(printCss);
  page.adoptedStyleSheets = [sheet];
  page.title = heading;
  page.documentElement.lang = locale.language;
  page.documentElement.dir = host.root.dir;
  render(
    html`<h1>${heading}</h1>
      ${leftOut ? html`<p dir="auto">${leftOut}</p>` : nothing}
      ${messagesOf(transcript).map(
        (message) =>
          html`<article>
            <h2>
              ${authorOf(message, heading, locale.texts)}
              <small>${timeOf(message, locale) || nothing}</small>
            </h2>
            ${
              isMarkdown(message) && markdown !== undefined
                ? markdown(message)
                : html`<p class="text" dir="auto">${shownText(message, transcript)}</p>`
            }
          </article>`,
      )}`,
    page.body,
  );
  view.addEventListener('afterprint', () => {
    frame.remove();
  });
  await loadImages(page);
  view.focus();
  view.print();
}

async function loadImages({ images }: Document): Promise<void> {
  const loading = [...images].map((image) => {
    image.loading = 'eager';
    // Until it has loaded, its text shows.
    image.dataset['broken'] = '';
    return image.decode().then(
      () => delete image.dataset['broken'],
      () => undefined,
    );
  });
  await Promise.race([
    Promise.all(loading),
    new Promise((resolve) => {
      setTimeout(resolve, imageTimeout);
    }),
  ]);
}
