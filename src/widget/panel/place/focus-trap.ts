import { fillsWindow } from './follow-viewport.ts';
import type { VisiblePanel } from './visible-panel.ts';

/**
 * Keeps the focus visible while the panel fills the window: at either end, Tab continues at the other, since the page's
 * controls are behind the panel. Escape still closes it.
 */
export function trapFocus({ panel }: VisiblePanel, signal: AbortSignal): void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab' || !fillsWindow(panel)) return;
    const elements = [...panel.querySelectorAll<HTMLElement>('*')].flatMap(withSlotted);
    const first = elements.find(isTabbable);
    const last = elements.findLast(isTabbable);
    const { shiftKey, target } = event;
    if (!(shiftKey ? [first, panel] : [last]).includes(target as HTMLElement)) return;
    event.preventDefault();
    (shiftKey ? last : first)?.focus();
  };
  panel.addEventListener('keydown', onKeyDown, { signal });
}

/** Adds the site's elements in a slot. */
function withSlotted(element: HTMLElement): HTMLElement[] {
  const slotted = element instanceof HTMLSlotElement ? (element.assignedElements() as HTMLElement[]) : [];
  return [element, ...slotted.flatMap((own) => [own, ...own.querySelectorAll<HTMLElement>('*')])];
}

/** The open menu has keys of its own. */
function isTabbable(element: HTMLElement): boolean {
  return (
    element.tabIndex >= 0 &&
    !element.matches(':disabled, .menu *') &&
    element.checkVisibility({ visibilityProperty: true })
  );
}
