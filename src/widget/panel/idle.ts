import { whenIdle } from '../element/when-idle.ts';

/** Resolves when the page is idle, at the latest after two seconds. */
export function idle(): Promise<unknown> {
  return new Promise<void>((resolve) => {
    whenIdle(resolve);
  });
}
