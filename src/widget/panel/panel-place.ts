import type { Locale } from '../texts/texts.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import { followViewport } from './place/follow-viewport.ts';
import type { PlacedPanel } from './place/placed-panel.ts';
import type { PanelHost } from './panel-host.ts';
import type { VisitStorage } from './visit-storage.ts';

const sizeKey = 'voice-assistant-chat:size';

/** Keeps the panel in place while it shows: above the page, within the screen, in the size that the visitor chose. */
export class PanelPlace {
  readonly #root: HTMLElement;
  readonly #storage: VisitStorage;
  readonly #modules: LazyModules;
  readonly #placed: PlacedPanel;
  #stopFollowing: (() => void) | undefined;
  #stopResizing: (() => void) | undefined;
  #isIn = false;

  constructor(
    { root }: PanelHost,
    panel: HTMLElement,
    storage: VisitStorage,
    modules: LazyModules,
    locale: () => Locale | undefined,
  ) {
    this.#root = root;
    this.#storage = storage;
    this.#modules = modules;
    this.#placed = { root, panel, storage, key: sizeKey, locale };
    panel.onpointerover = panel.onkeydown = () => {
      this.#follow();
      void this.#offerResizing();
    };
  }

  /** Keeps the panel above a phone's on-screen keyboard. */
  #follow(): void {
    if (this.#isIn) this.#stopFollowing ??= followViewport(this.#placed);
  }

  async #offerResizing(): Promise<void> {
    const talk = await this.#modules.load('talk');
    if (this.#isIn) this.#stopResizing ??= talk?.offerResizing(this.#placed);
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
    this.#stopFollowing?.();
    this.#stopResizing?.();
    this.#stopFollowing = this.#stopResizing = undefined;
  }

  /** Deletes the stored size. */
  forget(): void {
    this.#storage.removeItem(sizeKey);
  }
}
