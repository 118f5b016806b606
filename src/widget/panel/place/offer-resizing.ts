import type { VisiblePanel } from './visible-panel.ts';

const smallest = { width: 300, height: 320 };
/** Pixels for each press of an arrow key. */
const step = 16;

/**
 * Adds a handle to the panel's corner opposite its launcher, for pointers and keys: arrow keys move it, Home
 * and End set the smallest and largest size, a double click or Delete restores the site's size.
 */
export function offerResizing(
  { root, panel, storage, key, locale }: VisiblePanel,
  signal: AbortSignal,
): void {
  const handle = document.createElement('div');
  handle.part.add('resize-handle');
  handle.role = 'slider';
  handle.tabIndex = 0;
  handle.ariaValueMin = String(smallest.width);

  /** 1 if moving right or down makes the panel grow, else -1. */
  const direction = () => ({
    x: root.dataset['inline'] === 'left' ? 1 : -1,
    y: root.dataset['block'] === 'top' ? 1 : -1,
  });

  const place = (): void => {
    const { left, right, top, bottom, width, height } = panel.getBoundingClientRect();
    const { x, y } = direction();
    // The page's style sheet may hide the panel.
    handle.hidden = !width;
    handle.style.left = `${x > 0 ? right : left}px`;
    handle.style.top = `${y > 0 ? bottom : top}px`;
    // The grip is drawn for the top left corner.
    handle.style.rotate = `${x > 0 ? (y > 0 ? 180 : 90) : y > 0 ? 270 : 0}deg`;
    handle.style.cursor = x === y ? 'nwse-resize' : 'nesw-resize';
    const current = locale();
    handle.title = current ? current.texts.resize : '';
    handle.ariaValueNow = String(Math.round(width));
    handle.ariaValueMax = String(innerWidth);
    handle.ariaValueText = `${Math.round(width)} × ${Math.round(height)}`;
  };

  /** Resizes the panel; the style sheet keeps it within the window. */
  const resize = (width: number, height: number): void => {
    root.style.setProperty('--_width', `${Math.max(smallest.width, Math.round(width))}px`);
    root.style.setProperty('--_height', `${Math.max(smallest.height, Math.round(height))}px`);
    place();
  };
  const storeSize = (): void => {
    const { width, height } = panel.getBoundingClientRect();
    storage.setItem(key, `--_width:${Math.round(width)}px;--_height:${Math.round(height)}px`);
  };
  const reset = (): void => {
    root.style.removeProperty('--_width');
    root.style.removeProperty('--_height');
    storage.removeItem(key);
    place();
  };

  handle.onpointerdown = (down) => {
    if (down.button !== 0) return;
    // Otherwise dragging would select the page's text.
    down.preventDefault();
    handle.focus();
    handle.setPointerCapture(down.pointerId);
    const { width, height } = panel.getBoundingClientRect();
    handle.onpointermove = (move) => {
      const { x, y } = direction();
      resize(width + x * (move.clientX - down.clientX), height + y * (move.clientY - down.clientY));
    };
    handle.onlostpointercapture = () => {
      if (handle.onpointermove === null) return;
      handle.onpointermove = null;
      storeSize();
    };
  };
  handle.ondblclick = reset;
  handle.onkeydown = (event) => {
    const { width, height } = panel.getBoundingClientRect();
    const { x, y } = direction();
    const sizes: Readonly<Record<string, readonly [width: number, height: number]>> = {
      ArrowLeft: [width - x * step, height],
      ArrowRight: [width + x * step, height],
      ArrowUp: [width, height - y * step],
      ArrowDown: [width, height + y * step],
      Home: [0, 0],
      End: [innerWidth, innerHeight],
    };
    const size = sizes[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') reset();
    else if (size) {
      resize(...size);
      storeSize();
    } else return;
    event.preventDefault();
  };

  // Also runs after the next layout, so that adding the handle forces none.
  const observer = new ResizeObserver(place);
  observer.observe(panel);
  const rootObserver = new MutationObserver(place);
  rootObserver.observe(root, { attributeFilter: ['data-block', 'data-inline', 'lang'] });
  addEventListener('resize', place, { signal });
  panel.after(handle);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    rootObserver.disconnect();
    handle.remove();
  });
}
