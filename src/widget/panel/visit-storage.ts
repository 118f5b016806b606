/**
 * A browser's storage that can be exchanged for another one while a conversation goes on, as when a visitor consents to
 * being remembered: what was kept moves along, and nothing stays behind. Without a storage it keeps things for as long
 * as the page stays.
 */
export class VisitStorage {
  #storage: Storage | undefined;
  readonly #kept = new Map<string, string>();

  constructor(storage: Storage | undefined) {
    this.#storage = storage;
  }

  getItem(key: string): string | null {
    return this.#storage ? this.#storage.getItem(key) : (this.#kept.get(key) ?? null);
  }

  setItem(key: string, value: string): void {
    this.#kept.set(key, value);
    this.#storage?.setItem(key, value);
  }

  removeItem(key: string): void {
    this.#kept.delete(key);
    this.#storage?.removeItem(key);
  }

  moveTo(storage: Storage | undefined): void {
    if (storage === this.#storage) return;
    for (const [key, value] of this.#kept) {
      this.#storage?.removeItem(key);
      // What an earlier visit left there is gone on with.
      if (!storage?.getItem(key)) storage?.setItem(key, value);
    }
    this.#storage = storage;
  }
}
