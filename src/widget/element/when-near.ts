/** Pixels around the launcher within which a pointer counts as near. */
const nearDistance = 100;

/** Milliseconds until the launcher is measured again. */
const rectLifetime = 500;

const isNear = (value: number, from: number, to: number): boolean =>
  value > from - nearDistance && value < to + nearDistance;

/**
 * Calls `onNear` once, as soon as a pointer comes near an element or a finger touches it. Returns the controller that
 * stops watching.
 */
export function whenNear(element: HTMLElement, onNear: () => void): AbortController {
  const watch = new AbortController();
  const options = { capture: true, signal: watch.signal };
  let rect!: DOMRect;
  let measuredAt = -rectLifetime;
  const onPointer = ({ clientX: x, clientY: y, timeStamp }: PointerEvent): void => {
    // Measuring at each movement would lay out the page at each movement.
    if (timeStamp - measuredAt > rectLifetime) {
      rect = element.getBoundingClientRect();
      measuredAt = timeStamp;
    }
    if (rect.width && isNear(x, rect.left, rect.right) && isNear(y, rect.top, rect.bottom)) {
      watch.abort();
      onNear();
    }
  };
  addEventListener('pointermove', onPointer, options);
  addEventListener('pointerdown', onPointer, options);
  return watch;
}
