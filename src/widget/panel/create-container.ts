import { render } from 'lit/html.js';
import type { Announcer } from './announcer.ts';
import { isComposing } from './is-composing.ts';
import type { PanelHost } from './panel-host.ts';

/**
 * Creates the element that the panel is rendered into, hidden until the chat opens. Escape closes the chat. Typed
 * characters do not reach the page.
 */
export function createContainer({ element, root, shadowRoot }: PanelHost): HTMLElement {
  const container = document.createElement('section');
  container.id = 'panel';
  container.part.add('panel');
  container.tabIndex = -1;
  container.hidden = true;
  container.setAttribute('aria-labelledby', 'heading');
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || isComposing(event) || container.hidden || element.inline) return;
    // A dialog around the chat stays open.
    event.stopPropagation();
    event.preventDefault();
    element.hide();
  });
  // The page sees the chat as their target, not a field, so its single-key shortcuts would take them. A field of the page
  // in a slot is not the active element of the shadow root. A page that has seen a key go down also sees it go up.
  const typed = new Set<string>();
  for (const type of ['keydown', 'keypress', 'keyup'] as const)
    root.addEventListener(type, (event) => {
      const { code } = event;
      const isTyped =
        type === 'keyup'
          ? typed.delete(code)
          : /^.$/u.test(event.key) &&
            !event.altKey &&
            !event.ctrlKey &&
            !event.metaKey &&
            shadowRoot.activeElement?.matches('input,select,textarea');
      if (!isTyped) return;
      event.stopPropagation();
      if (type === 'keydown') typed.add(code);
    });
  root.append(container);
  return container;
}

/** Removes all rendered and announced content; the next render starts from scratch. */
export function clearPanel(container: HTMLElement, announcer: Announcer): void {
  render(null, container);
  // The menu is rendered separately: an open one would stay, without its button.
  container.querySelector('.menu')?.remove();
  announcer.element.replaceChildren();
}
