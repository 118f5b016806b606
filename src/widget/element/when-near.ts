/** Pixels around the launcher within which a pointer counts as near. */
const nearDistance = 100;

/** Milliseconds until the launcher is measured again. */
const rectLifetime = 500;

/**
 * Calls `onNear` once, as soon as a pointer comes near an element or a finger touches it. Returns the controller that
 * stops watching.
 */
export function whenNear(element: HTMLElement, onNear: () => void): AbortController {
  const watch = new AbortController();
  const options = { capture: true, signal: watch.signal };
  let rect!: DOMRect;
  let validUntil = 0;
  const onPointer = ({ clientX: x, clientY: y, timeStamp }: PointerEvent): void => {
    // Measuring at each movement would lay out the page at each movement.
    if (timeStamp > validUntil) {
      rect = element.getBoundingClientRect();
      validUntil = timeStamp + rectLifetime;
    }
    if (
      rect.width &&
      x > rect.left - nearDistance &&
      x < rect.right + nearDistance &&
      y > rect.top - nearDistance &&
      y < rect.bottom + nearDistance
    ) {
      watch.abort();
      onNear();
    }
  };
  addEventListener('pointermove', onPointer, options);
  addEventListener('pointerdown', onPointer, options);
  return watch;
}
