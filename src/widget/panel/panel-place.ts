import type { Locale } from '../texts/texts.ts';
import { followPlace } from './place/place.ts';
import type { PanelHost } from './panel-host.ts';
import type { VisitStorage } from './visit-storage.ts';

/** Keeps the panel in its place while it shows: above the page, in the size that the visitor gave it, within reach. */
export class PanelPlace {
  /** Call when the panel shows, and when the element comes back into a document. */
  readonly enter: () => void;
  /** Call when the panel hides or the element leaves: no listener stays. */
  readonly leave: () => void;
  /** Forgets the size that the visitor chose. */
  readonly forget: () => void;

  constructor(
    { root }: PanelHost,
    panel: HTMLElement,
    storage: VisitStorage,
    locale: () => Locale | undefined,
  ) {
    const key = 'voice-assistant-chat:size';
    const isThere = (): boolean => root.isConnected && !panel.hidden;
    let stop: (() => void) | undefined;
    let isIn = false;
    const follow = (): void => {
      if (isThere()) stop ??= followPlace({ root, panel, storage, key, locale });
    };
    panel.onpointerover = panel.onkeydown = follow;
    this.enter = () => {
      // Stepping up once more would let it appear anew, before the eyes of the visitor.
      if (isIn || !isThere()) return;
      isIn = true;
      // What opened since lies above it, unless it steps up anew.
      if (root.popover) {
        root.togglePopover(false);
        root.togglePopover(true);
      }
      root.style.cssText = storage.getItem(key) ?? '';
      // There a keyboard comes and goes on the screen. Elsewhere it is soon enough when a hand comes near.
      if (matchMedia('(pointer: coarse)').matches) follow();
    };
    this.leave = () => {
      isIn = false;
      stop?.();
      stop = undefined;
    };
    this.forget = () => {
      storage.removeItem(key);
    };
  }
}
