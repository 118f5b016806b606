import { followViewport } from './follow-viewport.ts';
import { offerResizing } from './offer-resizing.ts';
import type { PlacedPanel } from './placed-panel.ts';

/** Keeps the panel within what a phone's keyboard leaves of the screen, and lets a visitor resize it elsewhere. */
export function followPlace(placed: PlacedPanel): () => void {
  const leaves = [followViewport(placed), offerResizing(placed)];
  return () => {
    for (const leave of leaves) leave();
  };
}
