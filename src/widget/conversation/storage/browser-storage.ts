/** The methods of `Storage` that the chat uses. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns a stored item; `''` if there is none or storage is blocked. */
export function readItem(storage: BrowserStorage | undefined, key: string): string {
  try {
    return storage?.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Stores an item, or removes it if the value is `''`. Returns false if storage is full or blocked. */
export function writeItem(storage: BrowserStorage | undefined, key: string, value: string): boolean {
  try {
    if (value) storage?.setItem(key, value);
    else storage?.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
