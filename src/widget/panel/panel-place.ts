import type { Locale } from '../texts/texts.ts';
import { followPlace } from './place/place.ts';
import type { PanelHost } from './panel-host.ts';
import type { VisitStorage } from './visit-storage.ts';

const sizeKey = 'voice-assistant-chat:size';

/** Keeps the panel in place while it shows: above the page, within the screen, in the size that the visitor chose. */
export class PanelPlace {
  readonly #root: HTMLElement;
  readonly #storage: VisitStorage;
  readonly #follow: () => void;
  #stop: (() => void) | undefined;
  #isIn = false;

  constructor(
    { root }: PanelHost,
    panel: HTMLElement,
    storage: VisitStorage,
    locale: () => Locale | undefined,
  ) {
    this.#root = root;
    this.#storage = storage;
    this.#follow = () => {
      if (this.#isIn) this.#stop ??= followPlace({ root, panel, storage, key: sizeKey, locale });
    };
    panel.onpointerover = panel.onkeydown = this.#follow;
  }

  /** Call right before the panel shows, and when it comes back into a document while it shows. */
  enter(): void {
    // A second time would make it appear again, before the visitor's eyes.
    if (this.#isIn || !this.#root.isConnected) return;
    this.#isIn = true;
    const root = this.#root;
    // Above popovers that the page has opened meanwhile. Before the panel shows, since that costs a layout.
    if (root.popover) {
      root.togglePopover(false);
      root.togglePopover(true);
    }
    root.style.cssText = this.#storage.getItem(sizeKey) ?? '';
    // On a touch screen the keyboard covers the page. Elsewhere this can wait until a pointer comes near.
    if (matchMedia('(pointer: coarse)').matches) this.#follow();
  }

  /** Call when the panel hides or the element leaves its document: no listener stays. */
  leave(): void {
    this.#isIn = false;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Deletes the stored size. */
  forget(): void {
    this.#storage.removeItem(sizeKey);
  }
}
