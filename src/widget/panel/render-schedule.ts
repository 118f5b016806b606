/** Renders at the next frame, however often it is requested. */
export interface RenderSchedule {
  /** @param pause minimum milliseconds since the last render */
  readonly request: (pause?: number) => void;
  /** Call at each render, and to drop what is requested. */
  readonly clear: () => void;
}

export function createRenderSchedule(render: () => void): RenderSchedule {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renderedAt = 0;
  const request = (pause = 0): void => {
    const wait = renderedAt + pause - performance.now();
    if (wait > 0) timer ??= setTimeout(request, wait);
    else frame ||= requestAnimationFrame(render);
  };
  const clear = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
    renderedAt = performance.now();
  };
  return { request, clear };
}

/**
 * Milliseconds between two renders of a growing answer. Each of them lays out and paints all of it, so a long answer is
 * rendered less often: from 1,600 characters on not in every frame, from 6,000 on 16 times a second.
 */
export const pauseFor = (length: number): number => Math.min(60, length / 100);
