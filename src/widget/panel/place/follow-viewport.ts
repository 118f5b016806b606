import type { VisiblePanel } from './visible-panel.ts';

const properties = ['--_view-top', '--_view-height', '--_view-covered'] as const;

/**
 * Keeps a panel that fills the screen within the visible viewport: an on-screen keyboard covers the page without
 * making it smaller, and browsers scroll the page to show the field behind it.
 */
export function followViewport({ root, panel }: VisiblePanel, signal: AbortSignal): void {
  const viewport = visualViewport as VisualViewport;

  const resetProperties = (): void => {
    for (const name of properties) root.style.removeProperty(name);
  };
  // A visitor who has zoomed in can pan freely.
  const isZoomed = (): boolean => viewport.scale > 1.01;
  const follow = (): void => {
    if (isZoomed()) {
      resetProperties();
      return;
    }
    const values = [viewport.offsetTop, viewport.height, innerHeight - viewport.height];
    properties.forEach((name, index) => {
      root.style.setProperty(name, `${Math.max(0, values[index] ?? 0)}px`);
    });
  };
  const onTouchMove = (event: TouchEvent): void => {
    if (isZoomed() || event.touches.length > 1 || !event.cancelable) return;
    if (fillsWindow(panel) && !isInScrollable(event, panel)) event.preventDefault();
  };

  // At first mostly nothing is covered, and setting the properties restyles the whole panel.
  if (viewport.offsetTop !== 0 || viewport.height !== innerHeight) follow();
  viewport.addEventListener('resize', follow, { signal });
  viewport.addEventListener('scroll', follow, { signal });
  // Not passive: dragging the header would otherwise scroll the page behind the panel.
  panel.addEventListener('touchmove', onTouchMove, { passive: false, signal });
  signal.addEventListener('abort', resetProperties);
}

/** Whether no part of the page is visible beside the panel. */
export function fillsWindow(panel: HTMLElement): boolean {
  return (
    getComputedStyle(panel).position === 'fixed' && panel.offsetWidth >= document.documentElement.clientWidth
  );
}

/** Whether an event's target is inside a scrollable element of the panel, or the panel itself scrolls. */
function isInScrollable(event: Event, panel: HTMLElement): boolean {
  const path = event.composedPath();
  return path.slice(0, path.indexOf(panel) + 1).some((target) => {
    if (!(target instanceof Element)) return false;
    const { overflowX, overflowY } = getComputedStyle(target);
    const isScrollable = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
    return (
      (isScrollable(overflowY) && target.scrollHeight > target.clientHeight) ||
      (isScrollable(overflowX) && target.scrollWidth > target.clientWidth)
    );
  });
}
