/** The methods of `Storage` that the chat uses. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Browser storage that can be replaced during a visit, for example when the visitor consents: the items that this visit
 * has used move from the old storage to the new one. Never throws: without storage, or if it is full or blocked, items
 * last until the page is left.
 */
export class VisitStorage {
  #storage: BrowserStorage | undefined;
  readonly #items = new Map<string, string>();
  /** Keys of items that the browser refused to store. */
  readonly #refused = new Set<string>();

  constructor(storage: BrowserStorage | undefined) {
    this.#storage = storage;
  }

  /** Returns a stored item; `''` if there is none. */
  getItem(key: string): string {
    if (this.#storage && !this.#refused.has(key))
      try {
        const value = this.#storage.getItem(key) ?? '';
        if (value) this.#items.set(key, value);
        return value;
      } catch {
        // Storage is blocked.
      }
    return this.#items.get(key) ?? '';
  }

  /** Stores an item, or removes it if the value is `''`. */
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
    try {
      if (value) this.#storage?.setItem(key, value);
      else this.#storage?.removeItem(key);
      this.#refused.delete(key);
    } catch {
      this.#refused.add(key);
    }
  }

  removeItem(key: string): void {
    this.setItem(key, '');
  }

  /** Returns whether the storage is another one. */
  moveTo(storage: BrowserStorage | undefined): boolean {
    if (storage === this.#storage) return false;
    // Another tab may have removed some.
    const items = [...this.#items.keys()].map((key) => [key, this.getItem(key)] as const);
    for (const [key] of items) this.removeItem(key);
    this.#storage = storage;
    this.#refused.clear();
    // Items of an earlier visit take precedence.
    for (const [key, value] of items) if (!this.getItem(key)) this.setItem(key, value);
    return true;
  }
}
