import { html, nothing, render } from 'lit/html.js';
import { authorOf, isMarkdown } from '../message-log.ts';
import type { PanelContext } from '../panel-context.ts';
import printCss from './print.css?inline';
import { nonEmptyMessages, textOf, timeOf, type Transcript } from './transcript.ts';

/**
 * Prints the whole conversation and nothing else of the page. An iframe without a URL inherits the page's CSP, so it
 * uses nothing that a policy can block: a `CSSStyleSheet`, and text from templates.
 */
export function printTranscript({ host, container, markdown }: PanelContext, transcript: Transcript): void {
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
      ${nonEmptyMessages(transcript).map(
        (message) =>
          html`<article>
            <h2>
              ${authorOf(message, heading, locale.texts)}
              <small>${timeOf(message, locale) || nothing}</small>
            </h2>
            ${
              isMarkdown(message) && markdown !== undefined
                ? markdown(message)
                : html`<p class="text" dir="auto">${textOf(message, transcript)}</p>`
            }
          </article>`,
      )}`,
    page.body,
  );
  view.addEventListener('afterprint', () => {
    frame.remove();
  });
  view.focus();
  view.print();
}
