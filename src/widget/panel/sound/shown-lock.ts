/** A lock that every tab holds as long as it shows the conversation, so that the others know. */
export class ShownLock {
  // On secure pages only.
  readonly #locks = (navigator as { locks?: LockManager }).locks;
  #name = '';
  #release: (() => void) | undefined;

  /** Holds the lock of that name instead of the one before; none without a name. */
  hold(name = ''): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#release?.();
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    if (name) this.#locks?.request(name, { mode: 'shared' }, () => released).catch(() => undefined);
  }

  /** Whether no tab holds the lock of that name, as far as the browser says. */
  async isFree(name: string): Promise<boolean> {
    if (!this.#locks) return true;
    return this.#locks.request(name, { ifAvailable: true }, (lock) => lock !== null).catch(() => true);
  }
}
