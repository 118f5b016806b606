import { followViewport } from './follow-viewport.ts';
import { keepFocus } from './keep-focus.ts';
import { offerResizing } from './offer-resizing.ts';
import type { PlacedPanel } from './placed-panel.ts';

/**
 * Keeps a panel above a phone's on-screen keyboard, and the focus in a panel that fills the window; lets the visitor
 * resize it. Returns a function that stops all of this.
 */
export function placePanel(placed: PlacedPanel): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  followViewport(placed, signal);
  keepFocus(placed, signal);
  offerResizing(placed, signal);
  return () => {
    controller.abort();
  };
}
