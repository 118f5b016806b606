import type { Locale } from '../../texts/texts.ts';
import type { LazyModules } from '../modules/lazy-modules.ts';
import type { VisiblePanel } from './visible-panel.ts';
import type { PanelHost } from '../panel-host.ts';
import type { VisitStorage } from '../../conversation/storage/visit-storage.ts';

const sizeKey = 'voice-assistant-chat:size';

/** Whether a floating panel leaves a part of the page visible (`panel.css`). */
export const isBesidePage = (): boolean => matchMedia('(min-width: 481px) and (min-height: 481px)').matches;

/** Positions the panel while it is shown: above the page, within the screen, in the size that the visitor chose. */
export class PanelPlace {
  readonly #root: HTMLElement;
  readonly #storage: VisitStorage;
  readonly #modules: LazyModules;
  readonly #visible: VisiblePanel;
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
    this.#visible = { root, panel, storage, key: sizeKey, locale };
    panel.onpointerover = panel.onkeydown = () => {
      void this.#start();
    };
    // With large text or a label of several lines, the launcher is higher than the site has set.
    const property = '--_launcher-height';
    const setHeight = (): void => {
      const known =
        panel.style.getPropertyValue(property) || getComputedStyle(launcher).getPropertyValue('--_size');
      const height = `${launcher.offsetHeight}px`;
      // Setting the property restyles the whole panel.
      if (launcher.offsetHeight > 0 && height !== known) panel.style.setProperty(property, height);
    };
    // In the next frame. Setting it in the callback can change the size of the panel, which is observed too: browsers
    // report this as an error of the page (`ResizeObserver loop`).
    new ResizeObserver(() => {
      requestAnimationFrame(setHeight);
    }).observe(launcher);
  }

  /** Keeps the panel above a phone's on-screen keyboard, and lets the visitor resize it. */
  async #start(): Promise<void> {
    const messaging = await this.#modules.load('messaging');
    if (this.#isShown) this.#stop ??= messaging?.fitPanel(this.#visible);
  }

  /** Call when the panel is shown, and when the element is connected again while it is shown. */
  enter(): void {
    const root = this.#root;
    if (this.#isShown || !root.isConnected) return;
    this.#isShown = true;
    root.style.cssText = this.#storage.getItem(sizeKey);
    // The page's `zoom` would multiply lengths of the window, such as `100dvh`. Not that of an inline chat, which is no
    // popover. Where there is no `currentCSSZoom`, the value is invalid. Only if needed, since it restyles the panel.
    if (root.popover && root.currentCSSZoom !== 1) root.style.zoom = String(1 / root.currentCSSZoom);
    // Above popovers that the page has opened meanwhile. Only if there are any, since this lays out everything again.
    if (root.popover && this.#isCovered()) {
      root.togglePopover(false);
      root.togglePopover(true);
    }
    // On-screen keyboards cover the page. Without one, this waits for the first pointer or key event.
    if (matchMedia('(pointer: coarse)').matches) void this.#start();
  }

  /** Whether something else is in front of the panel, at its center or near one of its corners. */
  #isCovered(): boolean {
    const { left, top, width, height } = this.#visible.panel.getBoundingClientRect();
    const element = (this.#root.getRootNode() as ShadowRoot).host;
    const around = element.getRootNode() as Document | ShadowRoot;
    const places = [0.5, 0.04, 0.96];
    return places.some((x) =>
      places.some((y) => around.elementFromPoint(left + x * width, top + y * height) !== element),
    );
  }

  /** Call when the panel is hidden or the element disconnected. Removes all listeners. */
  leave(): void {
    this.#isShown = false;
    // The launcher has the page's zoom.
    this.#root.style.zoom = '';
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Deletes the stored size. */
  forget(): void {
    this.#storage.removeItem(sizeKey);
  }
}
