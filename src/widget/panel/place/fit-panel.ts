import { followViewport } from './follow-viewport.ts';
import { trapFocus } from './focus-trap.ts';
import { offerResizing } from './offer-resizing.ts';
import type { VisiblePanel } from './visible-panel.ts';

/**
 * Keeps a panel above a phone's on-screen keyboard, and the focus in a panel that fills the window; lets the visitor
 * resize it. Returns a function that stops all of this.
 */
export function fitPanel(visible: VisiblePanel): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  followViewport(visible, signal);
  trapFocus(visible, signal);
  offerResizing(visible, signal);
  return () => {
    controller.abort();
  };
}
