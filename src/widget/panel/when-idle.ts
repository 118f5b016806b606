import { whenIdle as runWhenIdle } from '../element/when-near.ts';

/** Resolves when the page is idle, at the latest after two seconds. */
export function whenIdle(): Promise<unknown> {
  return new Promise<void>((resolve) => {
    runWhenIdle(resolve);
  });
}
