import { followViewport } from './follow-viewport.ts';
import { offerResizing } from './offer-resizing.ts';
import type { PlacedPanel } from './placed-panel.ts';

/** Keeps the panel above a phone's on-screen keyboard, and lets visitors resize it elsewhere. */
export function followPlace(placed: PlacedPanel): () => void {
  const leaves = [followViewport(placed), offerResizing(placed)];
  return () => {
    for (const leave of leaves) leave();
  };
}
