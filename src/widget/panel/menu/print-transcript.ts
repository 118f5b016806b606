import { html, nothing, render } from 'lit/html.js';
import { isMarkdown } from '../message-log.ts';
import { headingOf } from '../panel-model.ts';
import type { PanelReach } from '../panel-reach.ts';
import printCss from './print.css?inline';
import { authorOf, timeOf } from './transcript.ts';
import type { Transcript } from './whole-conversation.ts';

/**
 * Prints the whole conversation and nothing of the page. A frame without an address has the page's content policy, and
 * uses nothing that a policy could refuse: a style sheet object, and text from templates.
 */
export function printTranscript({ host, container }: PanelReach, model: Transcript): void {
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
  page.title = headingOf(model);
  page.documentElement.lang = model.locale.language;
  page.documentElement.dir = host.root.dir;
  render(
    html`<h1>${headingOf(model)}</h1>
      ${model.leftOut ? html`<p dir="auto">${model.leftOut}</p>` : nothing}
      ${model.snapshot.messages.map(
        (message) =>
          html`<article>
            <h2>${authorOf(model, message)} <small>${timeOf(model, message) || nothing}</small></h2>
            ${
              isMarkdown(message) && model.markdown !== undefined
                ? model.markdown(message)
                : html`<p class="text" dir="auto">${message.text}</p>`
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
