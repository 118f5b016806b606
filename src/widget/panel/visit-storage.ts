/**
 * Browser storage that can be replaced during a visit, for example when the visitor consents: the items that this visit
 * has used move from the old storage to the new one. Without storage, or if it is full, items last until the page is left.
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
    if (!this.#storage || this.#refused.has(key)) return this.#items.get(key) ?? null;
    const value = this.#storage.getItem(key);
    if (value) this.#items.set(key, value);
    return value;
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

  /** Returns whether the storage is another one. */
  moveTo(storage: Storage | undefined): boolean {
    if (storage === this.#storage) return false;
    const before = this.#storage;
    // Another tab may have removed some.
    const items = [...this.#items.keys()].map((key) => [key, this.getItem(key)] as const);
    this.#storage = storage;
    this.#refused.clear();
    for (const [key, value] of items) {
      before?.removeItem(key);
      // Items of an earlier visit take precedence.
      if (value && !storage?.getItem(key)) this.setItem(key, value);
    }
    return true;
  }
}
