import { render } from 'lit/html.js';
import type { Announcer } from './announcer.ts';
import type { PanelHost } from './panel-host.ts';

/** Creates the element that the panel is rendered into, hidden until the chat opens. Escape closes the chat. */
export function createContainer({ element, root }: PanelHost): HTMLElement {
  const container = document.createElement('section');
  container.id = 'panel';
  container.part.add('panel');
  container.tabIndex = -1;
  container.hidden = true;
  container.setAttribute('aria-labelledby', 'heading');
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing || container.hidden || element.inline) return;
    // A dialog around the chat stays open.
    event.stopPropagation();
    event.preventDefault();
    element.hide();
  });
  root.append(container);
  return container;
}

/**
 * Removes the menu, which the browser would keep open while the panel around it is hidden or moves. Hiding it is not
 * enough: Chromium 156 crashes if the menu disappears after the popover around it has been shown anew.
 */
export function removeMenu(container: HTMLElement): void {
  container.querySelector('.menu')?.remove();
  container.querySelector('[part="menu-button"]')?.setAttribute('aria-expanded', 'false');
}

/** Removes all rendered and announced content; the next render starts from scratch. */
export function clearPanel(container: HTMLElement, announcer: Announcer): void {
  render(null, container);
  removeMenu(container);
  announcer.element.replaceChildren();
}
