import { isComposing } from './is-composing.ts';
import type { PanelHost } from './panel-host.ts';

/** Closes the chat with Escape, unless it is part of the page. */
export function closeOnEscape({ element, root }: PanelHost, container: HTMLElement): void {
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || isComposing(event) || container.hidden || element.inline) return;
    // A dialog around the chat stays open.
    event.stopPropagation();
    event.preventDefault();
    element.hide();
  });
}

/** Keeps keys, clicks and scrolling that are for the chat from the scripts of the page. */
export function keepEventsFromPage({ element, root }: PanelHost, container: HTMLElement): void {
  // The page sees the chat as their target, not a field: its shortcuts would take keys, and scripts against copying would
  // cancel the rest. A page that has seen a key go down also sees it go up.
  const typed = new Set<string>();
  for (const type of [
    'keydown',
    'keypress',
    'keyup',
    'mousedown',
    'contextmenu',
    'copy',
    'cut',
    'paste',
  ] as const)
    root.addEventListener(type, (event) => {
      const { code } = event as KeyboardEvent;
      const isForField =
        type === 'keyup'
          ? typed.delete(code)
          : isInField(event, root) && !('key' in event && isShortcut(event));
      if (!isForField) return;
      event.stopPropagation();
      if (type === 'keydown') typed.add(code);
      // Some menus of pages close at this event. Canceling the copy has no effect.
      if (type === 'mousedown') element.dispatchEvent(new MouseEvent(type, event));
    });
  // Pages that animate scrolling would take them.
  for (const type of ['wheel', 'touchmove'] as const)
    container.addEventListener(
      type,
      (event) => {
        // With Ctrl, the wheel zooms.
        if (!event.ctrlKey) event.stopPropagation();
      },
      { passive: true },
    );
}

/** Whether an event's target is a field of the chat. Fields of the page in a slot are not in its root. */
function isInField({ target }: Event, root: HTMLElement): boolean {
  return target instanceof Element && target.matches('input,select,textarea') && root.contains(target);
}

/** Whether a key is for the page or the browser even in a field. Of the characters with Ctrl, some edit the text. */
function isShortcut(event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey } = event;
  const characters = altKey ? /^.$/u : ctrlKey || metaKey ? /^[^acvxyz]$/iu : /^$/;
  return (
    !isComposing(event) && (/^(Alt|Control|Escape|F\d|Meta|Shift|Tab)/.test(key) || characters.test(key))
  );
}
