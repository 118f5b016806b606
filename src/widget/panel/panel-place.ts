import type { Locale } from '../texts/texts.ts';
import type { LazyModules } from './parts/lazy-modules.ts';
import type { PlacedPanel } from './place/placed-panel.ts';
import type { PanelHost } from './panel-host.ts';
import type { VisitStorage } from './visit-storage.ts';

const sizeKey = 'voice-assistant-chat:size';

/** Positions the panel while it is shown: above the page, within the screen, in the size that the visitor chose. */
export class PanelPlace {
  readonly #root: HTMLElement;
  readonly #storage: VisitStorage;
  readonly #modules: LazyModules;
  readonly #placed: PlacedPanel;
  #stop: (() => void) | undefined;
  #isShown = false;

  constructor(
    { launcher, root }: PanelHost,
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
      void this.#start();
    };
    // With large text or a label of several lines, the launcher is higher than the site has set.
    const property = '--_launcher-height';
    new ResizeObserver(() => {
      const known =
        panel.style.getPropertyValue(property) || getComputedStyle(launcher).getPropertyValue('--_size');
      const height = `${launcher.offsetHeight}px`;
      // Setting the property restyles the whole panel.
      if (launcher.offsetHeight > 0 && height !== known) panel.style.setProperty(property, height);
    }).observe(launcher);
  }

  /** Keeps the panel above a phone's on-screen keyboard, and lets the visitor resize it. */
  async #start(): Promise<void> {
    const talk = await this.#modules.load('talk');
    if (this.#isShown) this.#stop ??= talk?.placePanel(this.#placed);
  }

  /** Call right before the panel is shown, and when the element is connected again while it is shown. */
  enter(): void {
    // Doing this twice would make a visible panel disappear and appear again.
    if (this.#isShown || !this.#root.isConnected) return;
    this.#isShown = true;
    const root = this.#root;
    // Above popovers that the page has opened meanwhile. While the panel is hidden, since this forces a layout.
    if (root.popover) {
      root.togglePopover(false);
      root.togglePopover(true);
    }
    root.style.cssText = this.#storage.getItem(sizeKey) ?? '';
    // On-screen keyboards cover the page. Without one, this waits for the first pointer or key event.
    if (matchMedia('(pointer: coarse)').matches) void this.#start();
  }

  /** Call when the panel is hidden or the element disconnected. Removes all listeners. */
  leave(): void {
    this.#isShown = false;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Deletes the stored size. */
  forget(): void {
    this.#storage.removeItem(sizeKey);
  }
}
