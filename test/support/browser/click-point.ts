/**
 * Runs in the page: returns the point to click an element at, once it is at rest and nothing covers it, or else the
 * reason why not. It is sent there as text, so it must not use anything outside itself.
 */
export async function clickPoint(
  element: Element | null | undefined,
): Promise<{ x: number; y: number } | string> {
  if (!element) return 'there is no such element';
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const before = element.getBoundingClientRect();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return 'it has no size';
  if (x !== before.x || y !== before.y || width !== before.width || height !== before.height)
    return 'it is moving';

  const center = { x: x + width / 2, y: y + height / 2 };
  let top = document.elementFromPoint(center.x, center.y);
  for (let inner = top; inner?.shadowRoot; top = inner) {
    const deeper = inner.shadowRoot.elementFromPoint(center.x, center.y);
    if (!deeper || deeper === inner) break;
    inner = deeper;
  }
  let node: Node | null = top;
  while (node && node !== element) node = node instanceof ShadowRoot ? node.host : node.parentNode;
  if (node) return center;
  if (!top) return 'it is outside the viewport';
  // Everything that may explain it: this has been seen without anything over the element.
  const { visibility, pointerEvents } = getComputedStyle(element);
  const { clientWidth, clientHeight } = document.documentElement;
  const boxes: string[] = [];
  for (
    let at: Element | null = element;
    at;
    at = at.parentElement ?? (at.getRootNode() as Partial<ShadowRoot>).host ?? null
  ) {
    const box = at.getBoundingClientRect();
    boxes.push(
      `${at.localName}#${at.id} ${box.x},${box.y} ${box.width}x${box.height} ${getComputedStyle(at).visibility}`,
    );
  }
  return `<${top.localName}> lies over it at ${center.x},${center.y} of ${clientWidth}x${clientHeight} (${visibility}, pointer-events ${pointerEvents}, page ${document.visibilityState}; ${boxes.join('; ')})`;
}
