import type { NewsReader } from './news.ts';

/** Follows the news while they are wanted. What does the asking is loaded when they first are. */
export class NewsWatch {
  readonly #reader: NewsReader;
  #following: AbortController | undefined;

  constructor(reader: NewsReader) {
    this.#reader = reader;
  }

  /** @param isDue whether to begin with a question, as when nobody has looked for a while */
  follow(isWanted: boolean, isDue: boolean): void {
    if (isWanted === (this.#following !== undefined)) return;
    this.#following?.abort();
    const following = isWanted ? new AbortController() : undefined;
    this.#following = following;
    if (following === undefined) return;
    import('./news.ts')
      .then(({ followNews }) => followNews(this.#reader, isDue, following.signal))
      .catch(() => {
        // Given up; or it could not be loaded, and the next change tries again.
        if (this.#following === following) this.#following = undefined;
      });
  }
}
