import type { Snapshot } from '../../conversation/snapshot.ts';

/**
 * Milliseconds between two renders of a growing answer. Each of them lays out and paints all of it, so a long answer is
 * rendered less often: from 1,600 characters on not in every frame, from 6,000 on 16 times a second.
 */
const pauseFor = (length: number) => Math.min(60, length / 100);

/** Delays the renders of a growing answer. */
export class RenderThrottle {
  readonly #requestRender: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #renderedAt = 0;

  constructor(requestRender: () => void) {
    this.#requestRender = requestRender;
  }

  /** Returns whether a change is rendered later. */
  delays({ messages }: Snapshot): boolean {
    // Messages that wait for their answers may follow it.
    const answer = messages.findLast(({ status }) => status === 'streaming');
    if (!answer) return false;
    const wait = this.#renderedAt + pauseFor(answer.text.length) - performance.now();
    if (wait > 0) this.#timer ??= setTimeout(this.#requestRender, wait);
    return wait > 0;
  }

  /** Call after each render. */
  rendered(): void {
    this.stop();
    this.#renderedAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
