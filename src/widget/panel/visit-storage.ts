/**
 * Browser storage that can be replaced during a visit, for example when the visitor consents: the items of this visit
 * move from the old storage to the new one. Without storage, or if it is full, items last until the page is left.
 */
export class VisitStorage {
  #storage: Storage | undefined;
  readonly #items = new Map<string, string>();
  /** Keys of items that the browser refused to store. */
  readonly #refused = new Set<string>();

  constructor(storage: Storage | undefined) {
    this.#storage = storage;
  }

  getItem(key: string): string | null {
    if (this.#storage && !this.#refused.has(key)) return this.#storage.getItem(key);
    return this.#items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value);
    try {
      this.#storage?.setItem(key, value);
      this.#refused.delete(key);
    } catch {
      this.#refused.add(key);
    }
  }

  removeItem(key: string): void {
    this.#items.delete(key);
    this.#refused.delete(key);
    this.#storage?.removeItem(key);
  }

  moveTo(storage: Storage | undefined): void {
    if (storage === this.#storage) return;
    const before = this.#storage;
    this.#storage = storage;
    this.#refused.clear();
    for (const [key, value] of [...this.#items]) {
      before?.removeItem(key);
      // Items of an earlier visit take precedence.
      if (!storage?.getItem(key)) this.setItem(key, value);
    }
  }
}
