import { render } from 'lit/html.js';
import type { Announcer } from './announcer.ts';
import { closeOnEscape, keepEventsFromPage } from './panel-events.ts';
import type { PanelHost } from './panel-host.ts';

/** Creates the element that the panel is rendered into, hidden until the chat opens. */
export function createContainer(host: PanelHost): HTMLElement {
  const container = document.createElement('section');
  container.id = 'panel';
  container.part.add('panel');
  container.tabIndex = -1;
  container.hidden = true;
  container.setAttribute('aria-labelledby', 'heading');
  closeOnEscape(host, container);
  keepEventsFromPage(host, container);
  host.root.append(container);
  return container;
}

/** Removes all rendered and announced content; the next render starts from scratch. */
export function clearPanel(container: HTMLElement, announcer: Announcer): void {
  render(null, container);
  // The menu is rendered separately: an open one would stay, without its button.
  container.querySelector('.menu')?.remove();
  announcer.element.replaceChildren();
}
