/** Renders at the next frame, however often it is requested. */
export class RenderSchedule {
  readonly #render: () => void;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #renderedAt = 0;

  constructor(render: () => void) {
    this.#render = render;
  }

  /** @param pause minimum milliseconds since the last render */
  request(pause = 0): void {
    const wait = this.#renderedAt + pause - performance.now();
    if (wait <= 0) this.#frame ||= requestAnimationFrame(this.#render);
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.request();
      }, wait);
  }

  /** Call at each render, and to drop what is requested. */
  clear(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
    this.#renderedAt = performance.now();
  }
}

/**
 * Milliseconds between two renders of a growing answer. Each of them lays out and paints all of it, so a long answer is
 * rendered less often: from 1,600 characters on not in every frame, from 6,000 on 16 times a second.
 */
export const pauseFor = (length: number): number => Math.min(60, length / 100);
