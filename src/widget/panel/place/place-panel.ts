import { followViewport } from './follow-viewport.ts';
import { offerResizing } from './offer-resizing.ts';
import type { PlacedPanel } from './placed-panel.ts';

/**
 * Keeps a panel above a phone's on-screen keyboard, and lets the visitor resize it. Returns a function that stops both.
 */
export function placePanel(placed: PlacedPanel): () => void {
  const stops = [followViewport(placed), offerResizing(placed)];
  return () => {
    for (const stop of stops) stop();
  };
}
