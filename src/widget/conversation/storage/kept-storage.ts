/** The part of the browser's `Storage` that is used. */
export type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What is kept under a key; `''` for nothing, and where storage is blocked. */
export function readItem(storage: KeptStorage | undefined, key: string): string {
  try {
    return storage?.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Keeps a value, or nothing for `''`. Gives false where storage is full or blocked. */
export function writeItem(storage: KeptStorage | undefined, key: string, value: string): boolean {
  try {
    if (value) storage?.setItem(key, value);
    else storage?.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
